import { Injectable } from '@nestjs/common';
import type { LoginUser } from '../contract/login-user.js';
import { AuthEvents } from '../events/auth-events.js';
import { AuthManager } from '../provider/auth.manager.js';
import { SessionEnds } from '../provider/session-ends.js';
import { AccountChanges } from '../rbac/account-changes.js';

/** How users end their own sessions. Both methods reject with 50100 where the implementation cannot. */
@Injectable()
export class OwnSessions {
  constructor(
    private readonly manager: AuthManager,
    private readonly changes: AccountChanges,
    private readonly ends: SessionEnds,
    private readonly events: AuthEvents,
  ) {}

  /** @throws AuthException 40400 when the user has no such session */
  async end({ userId, username }: LoginUser, id: string): Promise<void> {
    this.manager.sessions();
    await this.change(userId, username, id, () => this.ends.one(userId, id, 'logged-out'));
  }

  async endOthers({ userId, username }: LoginUser): Promise<void> {
    const sessions = this.manager.sessions();
    const options = { exceptId: sessions.currentId(), reason: 'logged-out' } as const;
    await this.change(userId, username, 'all others', async () => () => sessions.endAllOf(userId, options));
  }

  private change(
    subjectId: number,
    subject: string,
    detail: string,
    prepare: () => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    const action = this.events.begin();
    return this.ends.change(
      action,
      (work) => this.changes.run(action, work),
      async ({ note }) => {
        const end = await prepare();
        await note({ type: 'sessions-ended', subjectId, subject, detail });
        return { subjectId, subject, end };
      },
    );
  }
}
