import { Injectable } from '@nestjs/common';
import type { AuthAction, LoginUser } from 'kit-auth';
import { LoginWays, notFound } from 'kit-auth/extend';
import { IdentityStore } from '../stores/identity.store.js';

/** Removes identities of other users, and ends their sessions. */
@Injectable()
export class IdentityRemovals {
  constructor(
    private readonly store: IdentityStore,
    private readonly ways: LoginWays,
  ) {}

  /**
   * Also removes the last way to log in.
   *
   * @param id one identity; default all of them
   * @returns the ids of the identities that were removed
   * @throws AuthException 40400 when the user has no identity with this id
   */
  async remove(
    action: AuthAction,
    owner: Pick<LoginUser, 'userId' | 'username'>,
    id?: string,
  ): Promise<string[]> {
    const { userId, username } = owner;
    if (id !== undefined && !(await this.store.listOf(userId)).some((identity) => identity.id === id)) {
      throw notFound('Identity'); // before any session ends
    }
    let removed: string[] = [];
    await this.ways.revoking(action, owner, 'identities', async (change) => {
      const gone = await this.store.remove(userId, change.transaction, (all) =>
        all.filter((identity) => id === undefined || identity.id === id),
      );
      removed = gone.map((identity) => identity.id);
      await change.note({
        type: 'identity-removed',
        subjectId: userId,
        subject: username,
        detail: id === undefined ? `all ${gone.length}` : (gone[0]?.provider ?? null),
        endedSessions: 'all',
      });
    });
    return removed;
  }
}
