import type { LoginUser, UserId } from 'kit-auth';
import { type ActiveUserStore, type AuthIdentities, invalidToken } from 'kit-auth/feature';
import { copyOf } from 'kit-auth/login';
import { SharedLookups, ShortCache, withinDeadline } from 'kit-auth/tools';
import type { IssuerSettings, TokenClaims, UserOfClaims } from '../issuer.js';
import type { TokenUsers } from '../tokens/issuer.credential.js';

/** Loads users who have linked the identity of a token. */
export class LinkedUsers implements TokenUsers {
  private readonly cache: ShortCache<string, LoginUser>;
  /** Keyed by subject. Requests of the same user share a lookup. */
  private readonly lookups = new SharedLookups((subject) => this.lookUp(subject));

  /** @param identities available before the first token arrives */
  constructor(
    private readonly issuer: IssuerSettings,
    private readonly identities: () => AuthIdentities,
    private readonly store: ActiveUserStore,
  ) {
    this.cache = new ShortCache(issuer.cacheSeconds * 1000);
  }

  userOf({ sub }: TokenClaims): LoginUser | Promise<LoginUser> {
    return this.cache.get(sub) ?? this.lookups.ask(sub);
  }

  forget(): void {
    this.cache.evict();
  }

  private async lookUp(subject: string): Promise<LoginUser> {
    const { age } = this.cache;
    const id = await this.identities().userOf(this.issuer.issuer, subject);
    const user = found(id === undefined ? undefined : await this.store.loadLoginUser(id));
    this.cache.set(subject, user, age);
    return user;
  }
}

/** Calls a function of the application. It gets all claims, so its results are cached by token. */
export class ComputedUsers implements TokenUsers {
  private readonly cache: ShortCache<string, LoginUser>;
  private readonly lookups = new SharedLookups((key, claims: TokenClaims) => this.lookUp(key, claims));

  /** @param timeoutMs limit of a call, which requests with the same token share */
  constructor(
    private readonly issuer: IssuerSettings,
    private readonly find: UserOfClaims,
    private readonly store: ActiveUserStore,
    private readonly timeoutMs: number,
  ) {
    this.cache = new ShortCache(issuer.cacheSeconds * 1000);
  }

  userOf(claims: TokenClaims, key: string): LoginUser | Promise<LoginUser> {
    return this.cache.get(key) ?? this.lookups.ask(key, claims);
  }

  forget(): void {
    this.cache.evict();
  }

  private async lookUp(key: string, claims: TokenClaims): Promise<LoginUser> {
    const { age } = this.cache;
    const result = await withinDeadline(this.timeoutMs, this.ask(claims), `user of ${this.issuer.name}`);
    const user = found(typeof result === 'object' ? result : await this.byId(result));
    this.cache.set(key, user, age);
    return user;
  }

  /** Rejects if the function throws. */
  private async ask(claims: TokenClaims): Promise<UserId | LoginUser | undefined> {
    return this.find(claims);
  }

  private async byId(id: UserId | undefined): Promise<LoginUser | undefined> {
    if (id !== undefined && typeof id !== this.store.idType) {
      throw new TypeError(`it returned a ${typeof id}, but ids of the user store are ${this.store.idType}s`);
    }
    // A function may return an invalid id, such as NaN from Number(sub).
    const known = id === undefined ? undefined : this.store.idFrom(String(id));
    return known === undefined ? undefined : this.store.loadLoginUser(known);
  }
}

/** @returns a copy, because a request freezes its user and its lists. @throws AuthException 40101 `unknown-user` */
function found(user: LoginUser | null | undefined): LoginUser {
  if (user === undefined || user === null) {
    throw invalidToken('unknown-user');
  }
  return copyOf(user);
}
