import { Injectable } from '@nestjs/common';
import type { NotedEvent, SessionEndReason, SessionInfo } from 'kit-auth';
import { ActiveLogins, type EndedSessions, SessionEnds } from 'kit-auth/extend';
import type { AuthUser } from 'kit-auth/typeorm';
import { Administration } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { managedUserOf, userOf } from './managed-user.js';

/** Lists and revokes the sessions of users. */
@Injectable()
export class UserSessions {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly administration: Administration,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
  ) {}

  /** @throws AuthException 40400, 50100 if the implementation has no sessions */
  async listOf(id: number): Promise<SessionInfo[]> {
    await userOf(this.store.manager, id);
    return this.logins.sessions().listOf(id);
  }

  /** @throws AuthException 40400, 40300, 50100 if the implementation has no sessions */
  endAll(id: number, { endKeys }: { readonly endKeys: boolean }): Promise<void> {
    const ended = { endedSessions: 'all', ...(endKeys && { endsKeys: true as const }) };
    return this.endOf(id, ended, async () => {
      const sessions = this.logins.sessions();
      return () => sessions.endAllOf(id, { reason: 'kicked' });
    });
  }

  /** @throws AuthException like `endAll`, and 40400 when the user has no such session */
  end(id: number, sessionId: string): Promise<void> {
    return this.endOf(id, { endedSessions: sessionId }, () => this.ends.one(id, sessionId, 'kicked'));
  }

  /** All sessions of a user, for a change that ends them. */
  endedWith({ id, username }: AuthUser, reason: SessionEndReason): EndedSessions {
    return { subjectId: id, subject: username, end: () => this.logins.endAllOf(id, { reason }) };
  }

  private endOf(
    id: number,
    ended: Required<Pick<NotedEvent, 'endedSessions'>> & Pick<NotedEvent, 'endsKeys'>,
    prepare: () => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    return this.administration
      .begin('auth:session:end')
      .changeUser(id, async ({ transaction, authority, note }) => {
        const { username: subject } = await managedUserOf(transaction, authority, id);
        const end = await prepare();
        const about = { subjectId: id, subject, detail: ended.endedSessions };
        await note({ type: 'sessions-ended', ...about, ...ended });
        return { subjectId: id, subject, end };
      });
  }
}
