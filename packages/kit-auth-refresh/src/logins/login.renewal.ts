import { Inject, Injectable } from '@nestjs/common';
import type { OpenedLogin, ResolvedLogin } from 'kit-auth';
import { invalidToken, unavailable } from 'kit-auth/feature';
import { isOwnedBy } from 'kit-auth/login';
import { LOGIN_STORE, type LoginStore, type StoredLogin } from '../stores/login-store.js';
import { FamilySeal, hashOf, newSecret } from '../tokens/refresh-token.js';
import { AccessTokens } from './access.tokens.js';
import { nextRotation } from './successor.js';

const MAX_ATTEMPTS = 3;

/** Rotates the refresh token of a re-authenticated login. */
@Injectable()
export class LoginRenewal {
  constructor(
    @Inject(LOGIN_STORE) private readonly store: LoginStore,
    private readonly access: AccessTokens,
    private readonly seal: FamilySeal,
  ) {}

  /** @throws AuthException 40101 when the login is over, 50300 when too many requests change it at once */
  async renew({ user, proof }: ResolvedLogin): Promise<OpenedLogin> {
    const id = proof.loginId ?? '';
    if (!isOwnedBy(id, user.userId)) {
      throw invalidToken();
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const now = Date.now();
      const login = await this.store.find(id);
      requireLive(login, now);
      const family = this.seal.open(id, login.family);
      if (family === undefined) {
        // The key has changed. A refresh seals the family again.
        throw invalidToken('revoked');
      }
      const secret = newSecret();
      const rotation = {
        // No salt, so the previous token has no successor, and its use does not end the login.
        family: login.family,
        current: hashOf(secret),
        previous: login.current,
        salt: null,
        rotatedAt: now,
        rotatedFrom: null,
        rotations: nextRotation(login.rotations),
        lastSeenAt: Math.max(login.lastSeenAt, now),
        proof,
      };
      if (await this.store.rotate(id, login.current, rotation)) {
        const owner = id.slice(0, id.indexOf('.'));
        return this.access.opened(proof, { id, owner, family, secret }, now, login.expiresAt);
      }
    }
    throw unavailable();
  }
}

function requireLive(login: StoredLogin | undefined, now: number): asserts login is StoredLogin {
  if (login === undefined) {
    throw invalidToken();
  }
  if (login.endedBy !== null) {
    throw invalidToken(login.endedBy);
  }
  if (now >= login.expiresAt) {
    throw invalidToken('expired');
  }
}
