import { Delete, Get, Header, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { AuthManager, RequirePermissions, type SessionInfo } from 'kit-auth';
import { AdminController } from '../admin-controller.decorator.js';
import { Administration } from '../administration.js';
import { notFound } from '../input/refusals.js';
import { UserId } from '../input/user-id.decorator.js';
import { UserService } from './user.service.js';

const END = 'auth:session:end';

/** The sessions of somebody, where the implementation has sessions; 501 otherwise. */
@AdminController('users/:id/sessions')
export class UserSessionsController {
  constructor(
    private readonly users: UserService,
    private readonly manager: AuthManager,
    private readonly administration: Administration,
  ) {}

  @Get()
  @RequirePermissions('auth:session:read')
  @Header('Cache-Control', 'no-store')
  async list(@UserId() id: number): Promise<SessionInfo[]> {
    await this.users.get(id);
    return this.manager.sessions().listOf(id);
  }

  @Delete()
  @RequirePermissions(END)
  @HttpCode(HttpStatus.NO_CONTENT)
  async endAll(@UserId() id: number): Promise<void> {
    const action = this.administration.begin(END);
    const { username } = await this.users.reachable(action, id);
    await this.manager.sessions().endAllOf(id, { reason: 'kicked' });
    action.note({ type: 'sessions-ended', subjectId: id, subject: username, detail: 'all' });
  }

  @Delete(':sessionId')
  @RequirePermissions(END)
  @HttpCode(HttpStatus.NO_CONTENT)
  async end(@UserId() id: number, @Param('sessionId') sessionId: string): Promise<void> {
    const action = this.administration.begin(END);
    const { username } = await this.users.reachable(action, id);
    if (!(await this.manager.sessions().end(id, sessionId, 'kicked'))) {
      throw notFound('session');
    }
    action.note({ type: 'sessions-ended', subjectId: id, subject: username, detail: sessionId });
  }
}
