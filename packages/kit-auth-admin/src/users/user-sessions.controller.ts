import { Delete, Get, Header, HttpCode, HttpStatus, Param, Query } from '@nestjs/common';
import { RequireFresh, RequirePermissions, type SessionInfo } from 'kit-auth';
import { KitAuthController, readFlag } from 'kit-auth/extend';
import type { Query as QueryOf } from '../input/page.js';
import { UserSessions } from './user-sessions.js';

/** The sessions of a user. The answer is 501 if the implementation has no sessions. */
@KitAuthController('users/:id/sessions')
export class KitAuthUserSessionsController {
  constructor(private readonly sessions: UserSessions) {}

  @Get()
  @RequirePermissions('auth:session:read')
  @Header('Cache-Control', 'no-store')
  list(@Param('id') id: string): Promise<SessionInfo[]> {
    return this.sessions.listOf(id);
  }

  /** Also ends the API keys of the user, unless `endKeys=false`. */
  @Delete()
  @RequirePermissions('auth:session:end')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  endAll(@Param('id') id: string, @Query() query: QueryOf): Promise<void> {
    return this.sessions.endAll(id, { endKeys: readFlag(query, 'endKeys') ?? true });
  }

  @Delete(':sessionId')
  @RequirePermissions('auth:session:end')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  end(@Param('id') id: string, @Param('sessionId') sessionId: string): Promise<void> {
    return this.sessions.end(id, sessionId);
  }
}
