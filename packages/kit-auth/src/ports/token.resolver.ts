import { Injectable, Logger } from '@nestjs/common';
import type { AuthCredential } from '../contract/auth-credential.js';
import type { AuthProvider } from '../contract/auth-provider.js';
import type { LoginProof, Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { resolutions } from '../diagnostics/channels.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import { andThen } from '../errors/maybe-promise.js';
import { freezeData } from './user-data.js';
import { Ports, transportRequestOf } from './ports.js';

const logger = new Logger('KitAuth');

const NO_PROOF: LoginProof = Object.freeze({ factors: Object.freeze({}) });

/** A principal with the credential that resolved its token; undefined for tokens of the provider. */
export interface ResolvedPrincipal extends Principal {
  readonly credential: AuthCredential | undefined;
}

/** A token that a credential has found in its own way, and that no other resolves. */
export interface OwnToken {
  readonly token: string;
  readonly credential: AuthCredential;
}

/** A token of a request. A string is resolved by the credential whose prefix or issuer it has, or by the provider. */
export type Presented = OwnToken | string;

type Resolved = ResolvedPrincipal | Promise<ResolvedPrincipal>;
/** A principal, or why there is none. */
export type Resolution = Resolved | AuthException;

/**
 * Resolves a token to a principal: with the credential that has found it, or whose prefix or issuer it has, otherwise with
 * the provider. Returns a promise only if the credential or the provider does.
 */
@Injectable()
export class TokenResolver {
  constructor(private readonly ports: Ports) {}

  /**
   * @param request which has the token, for credentials; undefined if it came in another way
   * @throws AuthException 40101 for an invalid token, 50300 when it cannot be checked
   */
  resolve(token: Presented, request?: object): Resolved {
    return thrown(this.attempt(token, request));
  }

  /**
   * Like `resolve`, but returns what the provider or the credential throws, because a throw costs two microseconds.
   * A promise still rejects.
   */
  attempt(presented: Presented, request?: object): Resolution {
    const isOwn = typeof presented !== 'string';
    const token = isOwn ? presented.token : presented;
    const credential = isOwn ? presented.credential : this.ports.credentialOf(token);
    const scheme = this.schemeOf(credential);
    return resolutions.isObserved
      ? resolutions.run({ scheme }, () => thrown(this.resolveWith(credential, token, request)))
      : this.resolveWith(credential, token, request);
  }

  private resolveWith(credential: AuthCredential | undefined, token: string, request?: object): Resolution {
    const login: unknown =
      credential === undefined
        ? askProvider(this.ports.returningErrors(this.ports.requireProvider()), token)
        : this.ports.returningErrors(credential).resolve(token, request && transportRequestOf(request));
    return login instanceof AuthException
      ? login
      : andThen(login as ResolvedLogin, (resolved) => this.principal(resolved, credential, token));
  }

  private schemeOf(credential: AuthCredential | undefined): string {
    return credential?.scheme ?? this.ports.requireProvider().extensionName;
  }

  private principal(login: ResolvedLogin, credential: AuthCredential | undefined, token: string): Resolved {
    const scheme = this.schemeOf(credential);
    const { user, proof } = checkedLogin(login, scheme, this.ports.idType);
    if (credential !== undefined) {
      const owner = ownerIn(login, scheme, this.ports.idType);
      return { user, proof, owner, scheme, token, credential };
    }
    const principal = { user, proof, scheme, token, credential };
    const { logins } = this.ports;
    return logins === undefined ? principal : andThen(logins.check(principal), () => principal);
  }
}

function askProvider(provider: AuthProvider, token: string): unknown {
  if (provider.resolve !== undefined) {
    return provider.resolve(token);
  }
  const user: unknown = provider.resolveToken(token);
  return user instanceof AuthException ? user : andThen(user as LoginUser, withoutProof);
}

/** @throws AuthException instead of returning it */
export function thrown(resolution: Resolution): Resolved {
  if (resolution instanceof AuthException) {
    throw resolution;
  }
  return resolution;
}

function withoutProof(user: LoginUser): ResolvedLogin {
  return { user, proof: NO_PROOF };
}

/**
 * Validates and freezes a login, so that a handler cannot change an object that an implementation shares with other
 * requests.
 *
 * @throws AuthException 40101 for a value that is not a login
 */
function checkedLogin(login: unknown, scheme: string, idType: 'number' | 'string'): ResolvedLogin {
  const { user, proof } = (login ?? {}) as Partial<Record<keyof ResolvedLogin, unknown>>;
  if (!isLoginUser(user, idType) || !isProof(proof)) {
    throw noUser(scheme);
  }
  freeze(user);
  return { user, proof };
}

/** The whole user of a login that a credential has limited. Apart, so that tokens of the provider do not pay for it. */
function ownerIn(
  { owner }: ResolvedLogin,
  scheme: string,
  idType: 'number' | 'string',
): LoginUser | undefined {
  if (owner === undefined) {
    return undefined;
  }
  if (!isLoginUser(owner, idType)) {
    throw noUser(scheme);
  }
  freeze(owner);
  return owner;
}

function noUser(scheme: string): AuthException {
  logger.error(`[auth] ${scheme} resolved a token to something that is not a user`);
  return invalidToken();
}

function freeze(user: LoginUser): void {
  if (!Object.isFrozen(user)) {
    Object.freeze(user.roles);
    Object.freeze(user.permissions);
    if (user.data !== undefined) {
      freezeData(user.data);
    }
    Object.freeze(user);
  }
}

function isLoginUser(value: unknown, idType: string): value is LoginUser {
  const user = (value ?? {}) as Partial<Record<keyof LoginUser, unknown>>;
  return (
    typeof user.userId === idType &&
    user.userId !== '' &&
    typeof user.username === 'string' &&
    typeof user.nickname === 'string' &&
    typeof user.superAdmin === 'boolean' &&
    Array.isArray(user.roles) &&
    Array.isArray(user.permissions)
  );
}

function isProof(value: unknown): value is ResolvedLogin['proof'] {
  const factors = (value as Partial<ResolvedLogin['proof']> | null | undefined)?.factors as unknown;
  return typeof factors === 'object' && factors !== null;
}
