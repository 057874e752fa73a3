import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { type ActingAdministrator, ActingAdministrators, ActiveUserStore } from 'kit-auth/extend';
import { ApiKeys, type KeyOwner } from '../keys/api-keys.js';
import type { KeyInfo } from '../stores/stored-key.js';

/** The keys of other users. Each method takes the permission that the acting user needs. */
@Injectable()
export class UserKeys {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
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
      const authority = await administrator.authority();
      const userId = this.users.idFrom(text);
      const user = userId === undefined ? undefined : await this.users.loadLoginUser(userId);
      // Disabled users cannot be loaded, but may have keys.
      if (userId === undefined || (user === undefined && (await this.keys.listOf(userId)).length === 0)) {
        throw new AuthException(AuthErrorCode.NOT_FOUND, { message: 'User not found' });
      }
      authority.require(user);
      return work(user ?? { userId, username: text }, administrator);
    });
  }
}
