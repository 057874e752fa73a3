import { Delete, Get, Header, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { RequirePermissions, type SessionInfo } from 'kit-auth';
import { ActiveLogins } from 'kit-auth/extend';
import { AdminController } from '../admin-controller.decorator.js';
import { UserId } from '../input/user-id.decorator.js';
import { UserService } from './user.service.js';

/** The sessions of somebody, where the implementation has sessions; 501 otherwise. */
@AdminController('users/:id/sessions')
export class UserSessionsController {
  constructor(
    private readonly users: UserService,
    private readonly logins: ActiveLogins,
  ) {}

  @Get()
  @RequirePermissions('auth:session:read')
  @Header('Cache-Control', 'no-store')
  async list(@UserId() id: number): Promise<SessionInfo[]> {
    await this.users.get(id);
    return this.logins.sessions().listOf(id);
  }

  @Delete()
  @RequirePermissions('auth:session:end')
  @HttpCode(HttpStatus.NO_CONTENT)
  endAll(@UserId() id: number): Promise<void> {
    return this.users.endSessions(id);
  }

  @Delete(':sessionId')
  @RequirePermissions('auth:session:end')
  @HttpCode(HttpStatus.NO_CONTENT)
  end(@UserId() id: number, @Param('sessionId') sessionId: string): Promise<void> {
    return this.users.endSession(id, sessionId);
  }
}
