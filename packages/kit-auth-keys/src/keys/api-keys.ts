import { Inject, Injectable } from '@nestjs/common';
import { type AuthAction, AuthErrorCode, AuthException, type LoginUser } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import type { KeyInfo } from '../keys.api.js';
import { keysOptions, type ResolvedKeysOptions } from '../keys.options.js';
import { KeyStore } from '../stores/key.store.js';
import { hashOfKey, newKey } from './key-token.js';

const DAY_MS = 24 * 60 * 60_000;

/** The properties of a key that its owner chooses. */
export interface KeyRequest {
  readonly name: string;
  readonly abilities: readonly string[];
  /** Null for a key that never ends. */
  readonly days: number | null;
}

export interface IssueOptions {
  /** Whether the key counts as one of a login with a second factor. */
  readonly secondFactor: boolean;
}

/** A new key. Scripts send `key`, which cannot be read again later. */
export interface IssuedKey extends Omit<KeyInfo, 'lastUsedAt' | 'lastAddress'> {
  readonly key: string;
}

export type KeyOwner = Pick<LoginUser, 'userId' | 'username'>;

/** Issues keys. The key and its event are stored in one transaction. */
@Injectable()
export class ApiKeys {
  constructor(
    @Inject(keysOptions.token) private readonly options: ResolvedKeysOptions,
    private readonly store: KeyStore,
    private readonly users: ActiveUserStore,
  ) {}

  /** @throws AuthException 40900 when the user has too many keys, 40000 when the database cannot store the name */
  async issue(
    action: AuthAction,
    { userId, username }: KeyOwner,
    { days, ...request }: KeyRequest,
    { secondFactor }: IssueOptions,
  ): Promise<IssuedKey> {
    const { maxPerUser } = this.options.settings;
    const { id, key } = newKey();
    const now = Date.now();
    const expiresAt = days === null ? null : new Date(now + days * DAY_MS);
    const info = { id, ...request, createdAt: new Date(now), expiresAt };
    await this.users.transaction(action, async (change) => {
      const row = { ...info, userId, hash: hashOfKey(key), secondFactor };
      if (!(await this.store.add(row, maxPerUser, change.transaction))) {
        throw new AuthException(AuthErrorCode.CONFLICT, {
          message: `You have ${maxPerUser} keys, which is the maximum. Delete one first`,
        });
      }
      const detail = `${id}: ${request.abilities.join(', ')}`;
      await change.note({ type: 'key-created', subjectId: userId, subject: username, detail });
    });
    return { ...info, key };
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'key-created': true;
    'key-ended': true;
    'key-refused': true;
  }
}
