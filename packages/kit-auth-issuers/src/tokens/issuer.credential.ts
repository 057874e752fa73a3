import {
  type AuthCredential,
  AuthErrorCode,
  AuthException,
  type LoginProof,
  type LoginUser,
  type Principal,
  type RequestedRoute,
  type ResolvedLogin,
} from 'kit-auth';
import { decoratedMethodOf, invalidToken } from 'kit-auth/feature';
import { isFactorTime } from 'kit-auth/login';
import { type VerificationKey, VerifiedTokens } from 'kit-auth/tools';
import type { IssuerSettings, TokenClaims } from '../issuer.js';
import type { IssuerKeys } from '../keys/issuer.keys.js';
import type { KeySet } from '../keys/key-set.js';
import { checkTimes, type ReadToken, readToken } from './token.rules.js';

type MaybePromise<T> = T | Promise<T>;

/** Finds the users of the tokens of an issuer. */
export interface TokenUsers {
  /**
   * @param claims of the token, or of its actor
   * @param key of these claims in caches
   * @throws AuthException 40101 `unknown-user`
   */
  userOf(claims: TokenClaims, key: string): LoginUser | Promise<LoginUser>;
  /** Forgets the users that are cached. */
  forget?(): void;
}

/** A token whose claims are right. Its times and its key are checked with every request. */
interface IssuedToken extends ReadToken {
  /** Without the actor. */
  readonly proof: LoginProof;
  /** The key that has signed it. Undefined before the signature was verified. */
  key: VerificationKey | undefined;
}

const NO_PROOF: LoginProof = Object.freeze({ factors: Object.freeze({}) });

/** Accepts the access tokens of an issuer. */
export class IssuerCredential implements AuthCredential {
  readonly scheme: string;
  readonly issuers: readonly string[];
  private readonly verified = new VerifiedTokens<IssuedToken>();

  /** @param resourceMetadata the URL of the metadata that leads clients to the issuer */
  constructor(
    private readonly issuer: IssuerSettings,
    private readonly keys: IssuerKeys,
    private readonly users: TokenUsers,
    readonly resourceMetadata: string | undefined,
  ) {
    this.scheme = `issuer:${issuer.name}`;
    this.issuers = [issuer.issuer];
  }

  /** Returns no promise for a verified token whose user is known. */
  resolve(token: string): MaybePromise<ResolvedLogin> {
    const issued = this.verified.get(token) ?? this.newToken(token);
    checkTimes(this.issuer, issued.claims);
    return then(this.keys.current(), (set) =>
      issued.key !== undefined && set.has(issued.key)
        ? this.loginOf(issued, token)
        : then(this.verify(set, token, issued), () => this.loginOf(issued, token)),
    );
  }

  /** @throws AuthException 40304 for endpoints of the packages: the account is at the issuer */
  authorize(_principal: Principal, route: RequestedRoute): void {
    if (!this.allows(route)) {
      throw AuthException.refusal(AuthErrorCode.KEY_NOT_ALLOWED);
    }
  }

  allows({ ours, controller, handler }: RequestedRoute): boolean {
    return !ours || isMe(controller, handler);
  }

  private newToken(token: string): IssuedToken {
    const read = readToken(this.issuer, token);
    return { ...read, proof: this.proofOf(read.claims), key: undefined };
  }

  /** @throws AuthException 40101 `signature` */
  private verify(set: KeySet, token: string, issued: IssuedToken): MaybePromise<void> {
    const end = token.lastIndexOf('.');
    const [input, signature] = [token.slice(0, end), token.slice(end + 1)];
    return then(this.keys.candidates(set, issued.kid, issued.alg), (candidates) => {
      issued.key = candidates.find((candidate) => candidate.verify(input, signature));
      if (issued.key === undefined) {
        throw invalidToken('signature');
      }
      this.verified.add(token, issued, true);
    });
  }

  private loginOf(issued: IssuedToken, token: string): MaybePromise<ResolvedLogin> {
    return then(this.users.userOf(issued.claims, token), (user: LoginUser) =>
      then(this.proofWithActor(issued, token), (proof) => ({ user, proof })),
    );
  }

  private proofWithActor({ actor, proof }: IssuedToken, token: string): MaybePromise<LoginProof> {
    return actor === undefined
      ? proof
      : then(this.users.userOf(actor, `act ${token}`), ({ userId, username }: LoginUser) =>
          Object.freeze({ ...proof, actor: Object.freeze({ userId, username }) }),
        );
  }

  /** Frozen, because all requests with the token share it. */
  private proofOf(claims: TokenClaims): LoginProof {
    const time = this.timeOf(claims);
    const hasSecondFactor = methodsOf(claims).some((method) => this.issuer.mfa.includes(method));
    if (time === undefined && !hasSecondFactor) {
      return NO_PROOF;
    }
    const factors = { ...(time !== undefined && { oidc: time }), ...(hasSecondFactor && { mfa: time ?? 0 }) };
    return Object.freeze({ factors: Object.freeze(factors) });
  }

  /** The time of `auth_time`, in seconds since 1970. Undefined unless the issuer is trusted with it. */
  private timeOf({ auth_time: authTime }: TokenClaims): number | undefined {
    const { fresh, clockSkewSeconds } = this.issuer;
    const now = Math.floor(Date.now() / 1000);
    return fresh && isFactorTime(authTime) && authTime <= now + clockSkewSeconds
      ? Math.min(authTime, now)
      : undefined;
  }
}

/** The values of `acr` and `amr`. */
function methodsOf({ acr, amr }: TokenClaims): string[] {
  return [acr, amr].flat().filter((method) => typeof method === 'string');
}

/** Whether a route is `GET me`. Compares names, because the application may contain two copies of the core. */
function isMe(controller: object, handler: object): boolean {
  const { name } = decoratedMethodOf(controller, handler) as { name?: unknown };
  return (controller as { name?: unknown }).name === 'KitAuthAccountController' && name === 'me';
}

function then<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
