import { Injectable } from '@nestjs/common';
import {
  type AuthCredential,
  AuthErrorCode,
  AuthEvents,
  AuthException,
  type LoginUser,
  type Principal,
  type RequestedRoute,
  type ResolvedLogin,
} from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { SharedLookups } from 'kit-auth/tools';
import { KeyStore } from '../stores/key.store.js';
import type { FoundKey } from '../stores/stored-key.js';
import { permissionsOfKey } from './abilities.js';
import { isOpenToKeys, lackingPermissions } from './key-access.js';
import { KeyCache } from './key-cache.js';
import { hashOfKey, idOfKey, isHash, KEY_PREFIX } from './key-token.js';
import { KeyUses } from './key-uses.js';
import { OncePer } from './once-per.js';

const HOUR_MS = 60 * 60_000;

/** Accepts API keys as tokens. */
@Injectable()
export class ApiKeyCredential implements AuthCredential {
  readonly prefix = KEY_PREFIX;
  readonly scheme = 'api-key';
  private readonly refusals = new OncePer(HOUR_MS);
  /** Lookups, shared by concurrent requests with the same key. */
  private readonly lookups = new SharedLookups((key) => this.lookUp(key));

  constructor(
    private readonly store: KeyStore,
    private readonly cache: KeyCache,
    private readonly uses: KeyUses,
    private readonly events: AuthEvents,
  ) {}

  /** Returns no promise when the key is cached. */
  resolve(key: string): ResolvedLogin | Promise<ResolvedLogin> {
    if (idOfKey(key) === undefined) {
      throw invalidToken('malformed');
    }
    const cached = this.cache.get(hashOfKey(key));
    return cached !== undefined && Date.now() < cached.expiresAt ? cached.login : this.lookups.ask(key);
  }

  /** @throws AuthException 40304 for a route that this key may not call */
  authorize({ user, token }: Principal, route: RequestedRoute): void {
    const isOpen = isOpenToKeys(route);
    const missing = isOpen ? lackingPermissions(user, route) : [];
    if (isOpen && missing.length === 0) {
      return;
    }
    this.noteRefusal(user, idOfKey(token) as string, route);
    throw AuthException.refusal(
      AuthErrorCode.KEY_NOT_ALLOWED,
      isOpen ? { missing, message: `The key lacks the permission ${missing.join(', ')}` } : {},
    );
  }

  allows(route: RequestedRoute): boolean {
    return isOpenToKeys(route);
  }

  admitted({ token }: Principal): void {
    this.uses.note(idOfKey(token) as string);
  }

  private async lookUp(key: string): Promise<ResolvedLogin> {
    const [id, hash] = [idOfKey(key) as string, hashOfKey(key)];
    const { age } = this.cache;
    const found = await this.store.find(id);
    if (found === undefined || !isHash(found.hash, hash)) {
      throw invalidToken();
    }
    const { endedBy, expiresAt } = found;
    if (endedBy !== null) {
      throw invalidToken(endedBy);
    }
    const end = expiresAt ?? Infinity;
    if (Date.now() >= end) {
      throw invalidToken('expired');
    }
    const owner = await found.owner();
    if (owner === undefined) {
      throw invalidToken('disabled');
    }
    this.uses.found(id, found.lastUsedAt);
    const login = loginOf(owner, found);
    this.cache.set(hash, { login, expiresAt: end }, age);
    return login;
  }

  /** Publishes one event an hour for each key and handler, because scripts repeat their requests. */
  private noteRefusal(
    { userId, username }: LoginUser,
    id: string,
    { controller, handler }: RequestedRoute,
  ): void {
    const name = `${nameOf(controller)}.${nameOf(handler)}`;
    if (this.refusals.isFirst(`${id} ${name}`)) {
      const about = { subjectId: userId, subject: username };
      this.events
        .begin()
        .note({ type: 'key-refused', ...about, success: false, detail: `${name}: key ${id}` });
    }
  }
}

/**
 * The owner, limited to the permissions of the key. Requests with a cached key share it. The second factor was shown when the
 * key was created. It is never fresh, because nobody shows one now.
 */
function loginOf(owner: LoginUser, { abilities, secondFactor }: FoundKey): ResolvedLogin {
  const permissions = permissionsOfKey(abilities, owner);
  const factors = { key: Math.floor(Date.now() / 1000), ...(secondFactor && { mfa: 0 }) };
  return Object.freeze({
    user: { ...owner, superAdmin: false, roles: [], permissions },
    proof: Object.freeze({ factors: Object.freeze(factors) }),
    owner,
  });
}

function nameOf(target: object): string {
  return (target as { name: string }).name;
}
