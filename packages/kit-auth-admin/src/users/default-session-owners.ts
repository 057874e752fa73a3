import { Injectable } from '@nestjs/common';
import type { AccountChange } from 'kit-auth';
import type { EndedSessions } from 'kit-auth/login';
import { Administration } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { type SessionOwner, SessionOwners } from '../sessions/session-owners.js';
import { managedUserOf, userIdFrom, userOf } from './managed-user.js';

/** The users of the default user store. */
@Injectable()
export class DefaultSessionOwners extends SessionOwners {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly administration: Administration,
  ) {
    super();
  }

  override async find(text: string): Promise<number> {
    const userId = userIdFrom(text);
    const { id } = await this.store.read((manager) => userOf(manager, userId));
    return id;
  }

  override async change(
    permission: string,
    text: string,
    work: (owner: SessionOwner, change: AccountChange) => Promise<EndedSessions>,
  ): Promise<void> {
    const userId = userIdFrom(text);
    await this.administration.begin(permission).changeUser(userId, async (change) => {
      const { username } = await managedUserOf(change.transaction, change.authority, userId);
      return work({ userId, username }, change);
    });
  }
}
