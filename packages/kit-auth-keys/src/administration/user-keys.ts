import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { type ActingAdministrator, ActingAdministrators } from 'kit-auth/extend';
import { ApiKeys, type KeyOwner } from '../keys/api-keys.js';
import type { KeyInfo } from '../stores/stored-key.js';

/** The keys of other users. Each method takes the permission that the acting user needs. */
@Injectable()
export class UserKeys {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly keys: ApiKeys,
  ) {}

  listOf(userId: string, permission: string): Promise<KeyInfo[]> {
    return this.acting(permission, userId, ({ userId: id }) => this.keys.listOf(id));
  }

  endAll(userId: string, permission: string): Promise<void> {
    return this.acting(permission, userId, async (owner, { action }) => {
      await this.keys.endAll(action, owner, 'kicked');
    });
  }

  /** @throws AuthException 40400 also when the user has no such key */
  end(userId: string, keyId: string, permission: string): Promise<void> {
    return this.acting(permission, userId, (owner, { action }) =>
      this.keys.end(action, owner, keyId, 'kicked'),
    );
  }

  /** @throws AuthException 40400 for an unknown user, 40300 for a user outside the administrator's authority */
  private acting<T>(
    permission: string,
    text: string,
    work: (owner: KeyOwner, administrator: ActingAdministrator) => Promise<T>,
  ): Promise<T> {
    const administrator = this.administrators.begin(permission);
    return administrator.noting(async () => {
      const hasKeys = async (userId: UserId) => (await this.keys.listOf(userId)).length > 0;
      return work(await administrator.reach(text, hasKeys), administrator);
    });
  }
}
