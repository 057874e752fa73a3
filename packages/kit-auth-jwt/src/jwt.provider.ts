import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import {
  type AuthProvider,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
  type UserData,
  type UserId,
} from 'kit-auth';
import { ActiveUserStore, invalidToken } from 'kit-auth/feature';
import { MAX_TOKEN_LENGTH } from 'kit-auth/login';
import { VerifiedTokens } from 'kit-auth/tools';
import type { Claims } from './claims.js';
import { checkTimes, isBoundTo, JwtCodec, newTokenId, type Times } from './jwt.codec.js';
import { JwtKeys } from './jwt.keys.js';
import { StampCheck } from './stamp-check.js';
import { TokenData } from './token-data.js';

/** A token whose signature and claims are right. Its times and stamp are checked with every request. */
interface VerifiedToken extends Times {
  login: ResolvedLogin;
  stamp: string | undefined;
  id: string;
}

/** The implementation `jwt-stateless`: tokens contain the user and the proof of the login. */
@Injectable()
export class JwtAuthProvider implements AuthProvider, OnModuleInit, OnApplicationBootstrap {
  readonly extensionName = 'jwt-stateless';
  readonly keepsProof = true;
  readonly issuer?: string;
  private readonly logger = new Logger('KitAuthJwt');
  readonly lifetimeSeconds: number;
  private readonly data: TokenData;
  private readonly stamps: StampCheck | undefined;
  private readonly verified = new VerifiedTokens<VerifiedToken>();

  constructor(
    private readonly codec: JwtCodec,
    private readonly keys: JwtKeys,
    @Optional() @Inject(KIT_AUTH_SETTINGS) private readonly settings?: KitAuthSettings,
    @Optional() private readonly users?: ActiveUserStore,
  ) {
    const issuer = settings?.jwt.issuer;
    if (issuer !== undefined) {
      this.issuer = issuer;
    }
    this.lifetimeSeconds = (settings?.jwt.expireMinutes ?? 0) * 60;
    this.data = new TokenData(settings?.jwt.data ?? []);
    const seconds = settings?.jwt.checkStamp ?? false;
    this.stamps = seconds === false || users === undefined ? undefined : new StampCheck(users, seconds);
  }

  get tokenPrefixes(): string[] {
    return this.keys.ring.headers;
  }

  get placeholders(): string[] {
    return this.settings?.enabled === true ? this.keys.placeholders : [];
  }

  /** @throws IllegalStateException for keys that cannot be used, without the core, or for a user store without the needed methods */
  onModuleInit(): void {
    if (this.settings === undefined) {
      throw new IllegalStateException(
        'KitAuthJwtModule needs KitAuthModule.forRoot() in the same application.',
      );
    }
    if (!this.settings.enabled) {
      return;
    }
    this.keys.check(this.lifetimeSeconds);
    if (this.stamps !== undefined) {
      this.users?.require('kit.auth.jwt.checkStamp', 'stampOf');
    }
  }

  /** Logs warnings and the roles of the keys after the start-up lines of the core. */
  onApplicationBootstrap(): void {
    for (const key of this.placeholders) {
      this.logger.warn(`[auth] built-in default JWT secret in use; override ${key} in production`);
    }
    if (this.settings?.enabled === true) {
      this.keys.ring.roles().forEach((role) => this.logger.log(`[jwt] ${role}`));
    }
  }

  /**
   * Rejects if the token would be too long for a request header. Only a very large number of roles causes that.
   *
   * @throws AuthException 50300 for a user whose `data` does not fit into a token
   */
  async issueToken(user: LoginUser, proof?: LoginProof): Promise<string> {
    this.users?.requireId(user.userId);
    const stamp = (await this.users?.stampOf(user.userId)) ?? '';
    const token = await this.codec.encode(user, this.lifetimeSeconds, {
      ...(proof !== undefined && { proof }),
      stamp: this.stamps === undefined ? undefined : stamp,
      data: this.data.of(user),
      id: newTokenId(stamp),
    });
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new IllegalStateException(
        `the token of user ${user.userId} would have ${token.length} characters, ${MAX_TOKEN_LENGTH} is the most; ` +
          'the user has too many roles or permissions for a stateless token',
      );
    }
    return token;
  }

  resolveToken(token: string): LoginUser | Promise<LoginUser> {
    const login = this.resolve(token);
    return login instanceof Promise ? login.then(({ user }) => user) : login.user;
  }

  /**
   * Returns no promise unless `kit.auth.jwt.checkStamp` is on. Verified tokens are cached from their second use
   * on. Their times, and the stamp, are checked with every request.
   */
  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin> {
    const known = this.verified.get(token) ?? this.verify(token);
    checkTimes(known, this.lifetimeSeconds);
    const { login, stamp } = known;
    return this.stamps === undefined ? login : this.stamps.check(login.user.userId, stamp).then(() => login);
  }

  isIssuedFor(token: string, stamp: string): boolean {
    return isBoundTo((this.verified.get(token) ?? this.verify(token)).id, stamp);
  }

  /** Does nothing: a stateless token is valid until it expires or its user's stamp changes. */
  async invalidate(): Promise<void> {}

  userChanged(userId?: UserId): void {
    this.stamps?.forget(userId);
  }

  private verify(token: string): VerifiedToken {
    const { claims, acceptedUntil, isSlow } = this.codec.decode(token);
    // A store may fail for an id of another type, but a wrong token must get a refusal.
    if (this.users !== undefined && typeof claims.userId !== this.users.idType) {
      throw invalidToken('malformed');
    }
    const { iat, nbf, stamp, jti: id } = claims;
    // A token that claims too long a life is refused for that.
    const isTooLong = claims.exp - iat > this.lifetimeSeconds;
    const exp = isTooLong ? claims.exp : Math.min(claims.exp, acceptedUntil);
    const login = Object.freeze({ user: userOf(claims, this.data.in(claims)), proof: proofOf(claims) });
    const verified = { login, iat, exp, nbf, stamp, id };
    this.verified.add(token, verified, isSlow);
    return verified;
  }
}

/** Frozen, because all requests with the token share it. One literal, because spread objects are slow to read. */
function userOf(claims: Claims, data: UserData | undefined): LoginUser {
  const { userId, username, nickname, superAdmin, mustChangePassword } = claims;
  const roles = Object.freeze(claims.roles) as string[];
  const permissions = Object.freeze(claims.permissions) as string[];
  const user: LoginUser = { userId, username, nickname, superAdmin, roles, permissions };
  if (data !== undefined) {
    user.data = data;
  }
  return Object.freeze(mustChangePassword ? { ...user, mustChangePassword } : user);
}

const NO_PROOF: LoginProof = Object.freeze({ factors: Object.freeze({}) });

/** Frozen, because all requests with the token share it. */
function proofOf({ sid, factors, act, until }: Claims): LoginProof {
  if (sid === undefined && factors === undefined && act === undefined && until === undefined) {
    return NO_PROOF;
  }
  return Object.freeze({
    ...NO_PROOF,
    ...(sid !== undefined && { loginId: sid }),
    ...(factors !== undefined && { factors: Object.freeze(factors) }),
    ...(until !== undefined && { expiresAt: until }),
    ...(act !== undefined && { actor: Object.freeze({ userId: act.userId, username: act.username }) }),
  });
}
