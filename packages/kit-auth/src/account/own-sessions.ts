import { Injectable } from '@nestjs/common';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { AuthEvents } from '../events/auth-events.js';
import { AuthManager } from '../provider/auth.manager.js';
import { SessionEnds } from '../provider/session-ends.js';
import { AccountChanges } from '../rbac/account-changes.js';
import { PAUSE_MS, RecentEnds } from './recent-ends.js';

/**
 * How users end their own sessions. For a minute after a session has ended others, it cannot end those that began
 * since: whoever holds a stolen token must not keep its owner from logging in and changing the password. Both
 * methods reject with 50100 where the implementation cannot.
 */
@Injectable()
export class OwnSessions {
  private readonly endsOfOne = new RecentEnds();
  private readonly endsOfAll = new RecentEnds();

  constructor(
    private readonly manager: AuthManager,
    private readonly changes: AccountChanges,
    private readonly ends: SessionEnds,
    private readonly events: AuthEvents,
  ) {}

  /** @throws AuthException 40400 when the user has no such session, 42900 when it began after a recent end */
  async end({ userId, username }: LoginUser, id: string): Promise<void> {
    const asking = this.manager.sessions().currentId();
    const lastEnd = Math.max(this.endsOfOne.of(asking) ?? 0, this.endsOfAll.of(asking) ?? 0);
    if (lastEnd > 0 && id !== asking && (await this.startedSince(lastEnd, userId)).includes(id)) {
      throw tooSoon(lastEnd);
    }
    await this.endsOfOne.noting(asking, () =>
      this.change(userId, username, id, () => this.ends.one(userId, id, 'logged-out')),
    );
  }

  /** @throws AuthException 42900 when there are sessions that began after a recent end of all others */
  async endOthers({ userId, username }: LoginUser): Promise<void> {
    const sessions = this.manager.sessions();
    const asking = sessions.currentId();
    const lastEnd = this.endsOfAll.of(asking);
    if (lastEnd !== undefined) {
      if ((await this.startedSince(lastEnd, userId)).some((id) => id !== asking)) {
        throw tooSoon(lastEnd);
      }
      return;
    }
    const options = { exceptId: asking, reason: 'logged-out' } as const;
    await this.endsOfAll.noting(asking, () =>
      this.change(userId, username, 'all others', async () => () => sessions.endAllOf(userId, options)),
    );
  }

  /** Ids of sessions. Where sessions are not listed nobody knows, so there may be one. */
  private async startedSince(time: number, userId: number): Promise<(string | undefined)[]> {
    try {
      const sessions = await this.manager.sessions().listOf(userId);
      return sessions.filter(({ createdAt }) => createdAt.getTime() >= time).map(({ id }) => id);
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED) {
        return [undefined];
      }
      throw error;
    }
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

function tooSoon(lastEnd: number): AuthException {
  return new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, {
    message: 'Sessions that began after you ended others can be ended a minute later',
    retryAfter: Math.max(1, Math.ceil((lastEnd + PAUSE_MS - Date.now()) / 1000)),
  });
}
