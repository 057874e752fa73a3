import { Injectable } from '@nestjs/common';
import type { SessionInfo } from '../contract/auth-sessions.js';
import type { Principal } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { noteThrottled } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, retryAfterOf } from '../errors/auth.exception.js';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { UserId } from '../contract/user-id.js';
import { FreshLoginChecker } from '../guard/fresh-login.checker.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { type EndedSessions, SessionEnds } from './session-ends.js';
import { type Pause, RecentEnds } from './recent-ends.js';

/**
 * Ends the sessions of the current user. A session that has ended others twice within a minute cannot end newer ones,
 * so that a stolen token cannot prevent its owner from logging in and changing the password. Both methods reject with
 * 50100 when the implementation does not support it.
 */
@Injectable()
export class OwnSessions {
  private readonly endsOfOne = new RecentEnds();
  private readonly endsOfAll = new RecentEnds();

  constructor(
    private readonly logins: ActiveLogins,
    private readonly users: ActiveUserStore,
    private readonly ends: SessionEnds,
    private readonly freshLogins: FreshLoginChecker,
    private readonly events: AuthEvents,
  ) {}

  /**
   * @throws AuthException 40120 for another session than the current one when the login is not fresh, 40400 when the user
   * has no such session, 42900 when it began after two recent ends
   */
  async end(login: Principal, id: string): Promise<void> {
    const { userId, username } = login.user;
    const action = this.events.begin();
    const asking = this.logins.sessions().currentId();
    if (id !== asking) {
      await this.freshLogins.require(login);
    }
    const pause = this.endsOfOne.pauseOf(asking) ?? this.endsOfAll.pauseOf(asking);
    if (pause !== undefined && id !== asking) {
      const others = await this.othersOf(userId, asking);
      if (others?.some((other) => other.id === id && beganSince(pause, other))) {
        throw tooSoon(pause);
      }
    }
    await this.endsOfOne.noting(asking, () =>
      this.change(action, { subjectId: userId, subject: username, detail: id, endedSessions: id }, () =>
        this.ends.one(userId, id, 'logged-out'),
      ),
    );
  }

  /** @throws AuthException 42900 when sessions have begun since two recent ends of all others */
  async endOthers({ userId, username }: LoginUser): Promise<void> {
    const action = this.events.begin();
    const about = { subjectId: userId, subject: username, detail: 'all others', endedSessions: 'all' };
    const sessions = this.logins.sessions();
    const asking = sessions.currentId();
    const pause = this.endsOfAll.pauseOf(asking);
    if (pause === undefined) {
      const options = { exceptId: asking, reason: 'logged-out' } as const;
      await this.endsOfAll.noting(asking, () =>
        this.change(action, about, async () => () => sessions.endAllOf(userId, options)),
      );
      return;
    }
    const others = await this.othersOf(userId, asking);
    if (others === undefined || others.some((other) => beganSince(pause, other))) {
      throw tooSoon(pause);
    }
    // Only older sessions are left. Ending them by id spares sessions that begin now.
    if (others.length > 0) {
      await this.change(action, about, async () => async () => {
        for (const { id } of others) {
          await sessions.end(userId, id, 'logged-out');
        }
      });
    }
  }

  /** @returns undefined when the implementation cannot list sessions */
  private async othersOf(userId: UserId, asking: string | undefined): Promise<SessionInfo[] | undefined> {
    try {
      return (await this.logins.sessions().listOf(userId)).filter(({ id }) => id !== asking);
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED) {
        return undefined;
      }
      throw error;
    }
  }

  private change(
    action: AuthAction,
    about: Pick<EndedSessions, 'subjectId' | 'subject'> & Pick<NotedEvent, 'detail' | 'endedSessions'>,
    prepare: () => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    return this.ends.change(
      action,
      (work) => this.users.transaction(action, work),
      async (change) => {
        const end = await prepare();
        await change.note({ type: 'sessions-ended', ...about });
        return { ...about, end };
      },
    );
  }
}

function beganSince({ since }: Pause, { createdAt }: SessionInfo): boolean {
  return createdAt.getTime() >= since;
}

function tooSoon({ until }: Pause): AuthException {
  noteThrottled('sessions');
  return new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, {
    message: 'You have just ended sessions. Newer ones can be ended in a minute',
    retryAfter: retryAfterOf(until - Date.now()),
  });
}
