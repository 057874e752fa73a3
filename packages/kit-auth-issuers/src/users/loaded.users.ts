import type { LoginUser, UserId } from 'kit-auth';
import {
  type ActiveUserStore,
  type AuthIdentities,
  invalidToken,
  SharedLookups,
  ShortCache,
} from 'kit-auth/extend';
import type { IssuerSettings } from '../config/issuers.js';
import type { IssuedToken } from '../tokens/issuer.credential.js';
import type { TokenUsers } from './token.users.js';

/** Loads users who have linked the identity of a token. */
export class LinkedUsers implements TokenUsers {
  private readonly cache: ShortCache<string, LoginUser>;
  /** By subject. Requests of the same user share them. */
  private readonly lookups = new SharedLookups((subject) => this.lookUp(subject));

  /** @param identities which exist when the first token comes */
  constructor(
    private readonly issuer: IssuerSettings,
    private readonly identities: () => AuthIdentities,
    private readonly store: ActiveUserStore,
  ) {
    this.cache = new ShortCache(issuer.cacheSeconds * 1000);
  }

  userOf({ claims: { sub } }: IssuedToken): LoginUser | Promise<LoginUser> {
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

/** Asks a function of the application. */
export class ComputedUsers implements TokenUsers {
  /** By token, because the function gets all of its claims. */
  private readonly cache: ShortCache<IssuedToken, LoginUser>;

  constructor(
    { cacheSeconds }: IssuerSettings,
    private readonly find: (claims: IssuedToken['claims']) => unknown,
    private readonly store: ActiveUserStore,
  ) {
    this.cache = new ShortCache(cacheSeconds * 1000);
  }

  userOf(token: IssuedToken): LoginUser | Promise<LoginUser> {
    return this.cache.get(token) ?? this.lookUp(token);
  }

  forget(): void {
    this.cache.evict();
  }

  private async lookUp(token: IssuedToken): Promise<LoginUser> {
    const { age } = this.cache;
    const result = await this.find(token.claims);
    const isId = typeof result === 'number' || typeof result === 'string';
    const user = found(isId ? await this.byId(result as UserId) : (result as LoginUser | null | undefined));
    this.cache.set(token, user, age);
    return user;
  }

  private byId(id: UserId): Promise<LoginUser | undefined> {
    if (typeof id !== this.store.idType) {
      throw new TypeError(
        `it returned an id of the type ${typeof id}, but ids of the user store are ${this.store.idType}s`,
      );
    }
    return this.store.loadLoginUser(id);
  }
}

/** @returns a copy, because a request freezes its user. @throws AuthException 40101 `unknown-user` */
function found(user: LoginUser | null | undefined): LoginUser {
  if (user === undefined || user === null) {
    throw invalidToken('unknown-user');
  }
  return { ...user };
}
