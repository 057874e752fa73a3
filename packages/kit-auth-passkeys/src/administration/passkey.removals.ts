import { Injectable } from '@nestjs/common';
import type { AuthAction, LoginUser } from 'kit-auth';
import { LoginWays, notFound } from 'kit-auth/extend';
import { PasskeyStore } from '../stores/passkey.store.js';

export type PasskeyOwner = Pick<LoginUser, 'userId' | 'username'>;

/** Removes passkeys of other users, for example after a lost device, and ends their sessions. */
@Injectable()
export class PasskeyRemovals {
  constructor(
    private readonly store: PasskeyStore,
    private readonly ways: LoginWays,
  ) {}

  /**
   * Also removes the last way to log in.
   *
   * @param id one passkey; default all of them
   * @returns the ids of the passkeys that were removed
   * @throws AuthException 40400 when the user has no passkey with this id
   */
  async remove(action: AuthAction, owner: PasskeyOwner, id?: string): Promise<string[]> {
    const { userId, username } = owner;
    if (id !== undefined && !(await this.store.listOf(userId)).some((passkey) => passkey.id === id)) {
      throw notFound('Passkey'); // before any session ends
    }
    let removed: string[] = [];
    await this.ways.revoking(action, owner, 'passkeys', async (change) => {
      const gone = await this.store.change(userId, change.transaction, async (passkeys) => {
        const found = (await passkeys.latest()).filter((passkey) => id === undefined || passkey.id === id);
        await passkeys.remove(found.map((passkey) => passkey.id));
        return found;
      });
      removed = gone.map((passkey) => passkey.id);
      const detail = id === undefined ? `all ${gone.length}` : gone[0]?.name;
      const about = { subjectId: userId, subject: username, endedSessions: 'all' };
      await change.note({ type: 'passkey-removed', ...about, ...(detail !== undefined && { detail }) });
    });
    return removed;
  }
}
