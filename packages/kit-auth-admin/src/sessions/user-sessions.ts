import { Injectable } from '@nestjs/common';
import type { NotedEvent, SessionEndReason, SessionInfo, UserId } from 'kit-auth';
import { ActiveLogins, type EndedSessions, SessionEnds } from 'kit-auth/login';
import { type SessionOwner, SessionOwners } from './session-owners.js';

/** Lists and revokes the sessions of users, whose ids are parameters of paths. */
@Injectable()
export class UserSessions {
  constructor(
    private readonly owners: SessionOwners,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
  ) {}

  /** @throws AuthException 40400, 50100 if the implementation has no sessions */
  async listOf(id: string): Promise<SessionInfo[]> {
    const userId = await this.owners.find(id);
    return this.logins.sessions().listOf(userId);
  }

  /** @throws AuthException 40400, 40300, 50100 if the implementation has no sessions */
  endAll(id: string, { endKeys }: { readonly endKeys: boolean }): Promise<void> {
    const ended = { endedSessions: 'all', ...(endKeys && { endsKeys: true as const }) };
    return this.endOf(id, ended, async (userId) => {
      const sessions = this.logins.sessions();
      return () => sessions.endAllOf(userId, { reason: 'kicked' });
    });
  }

  /** @throws AuthException like `endAll`, and 40400 when the user has no such session */
  end(id: string, sessionId: string): Promise<void> {
    return this.endOf(id, { endedSessions: sessionId }, (userId) =>
      this.ends.one(userId, sessionId, 'kicked'),
    );
  }

  /** All sessions of a user, for a change that ends them. */
  endedWith({ userId, username }: SessionOwner, reason: SessionEndReason): EndedSessions {
    return { subjectId: userId, subject: username, end: () => this.logins.endAllOf(userId, { reason }) };
  }

  private endOf(
    id: string,
    ended: Required<Pick<NotedEvent, 'endedSessions'>> & Pick<NotedEvent, 'endsKeys'>,
    prepare: (userId: UserId) => Promise<() => Promise<unknown>>,
  ): Promise<void> {
    return this.owners.change('auth:session:end', id, async ({ userId, username }, change) => {
      const end = await prepare(userId);
      const about = { subjectId: userId, subject: username };
      await change.note({ type: 'sessions-ended', ...about, detail: ended.endedSessions, ...ended });
      return { ...about, end };
    });
  }
}
