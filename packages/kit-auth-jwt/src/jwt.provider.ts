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
  type LoginUser,
} from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import type { Claims } from './claims.js';
import { checkTimes, JwtCodec, MAX_TOKEN_LENGTH, type Times } from './jwt.codec.js';
import { isPlaceholder, MIN_SECRET_BYTES, secretBytes } from './signing-key.js';
import { StampCheck } from './stamp-check.js';
import { isBoundTo, newTokenId } from './token-id.js';
import { VerifiedTokens } from './verified-tokens.js';

/** What is kept of a token whose signature and form were right; whether it has begun or ended depends on the moment. */
interface VerifiedToken extends Times {
  user: LoginUser;
  stamp: string | undefined;
  id: string;
}

/** The implementation `jwt-stateless`: the user travels in the token. */
@Injectable()
export class JwtAuthProvider implements AuthProvider, OnModuleInit, OnApplicationBootstrap {
  readonly extensionName = 'jwt-stateless';
  private readonly logger = new Logger('KitAuthJwt');
  private readonly lifetimeSeconds: number;
  private readonly stamps: StampCheck | undefined;
  private readonly verified = new VerifiedTokens<VerifiedToken>();

  constructor(
    private readonly codec: JwtCodec,
    @Optional() @Inject(KIT_AUTH_SETTINGS) private readonly settings?: KitAuthSettings,
    @Optional() private readonly users?: ActiveUserStore,
  ) {
    this.lifetimeSeconds = (settings?.jwt.expireMinutes ?? 0) * 60;
    const seconds = settings?.jwt.checkStamp ?? false;
    this.stamps = seconds === false || users === undefined ? undefined : new StampCheck(users, seconds);
  }

  /** @throws IllegalStateException on a short secret, or without the core */
  onModuleInit(): void {
    if (this.settings === undefined) {
      throw new IllegalStateException(
        'KitAuthJwtModule needs KitAuthModule.forRoot() in the same application.',
      );
    }
    const bytes = secretBytes(this.settings);
    if (this.settings.enabled && bytes < MIN_SECRET_BYTES) {
      throw new IllegalStateException(
        `kit.auth.jwt.secret has ${bytes} bytes in UTF-8; HS256 needs at least ${MIN_SECRET_BYTES}.`,
      );
    }
  }

  /** After the core's own lines, so that the warning is the last. */
  onApplicationBootstrap(): void {
    if (this.settings?.enabled && isPlaceholder(this.settings)) {
      this.logger.warn(
        '[auth] built-in default JWT secret in use; override kit.auth.jwt.secret in production',
      );
    }
  }

  /** Rejects when the token would be too long for a request header, which only a great many roles can bring about. */
  async issueToken(user: LoginUser): Promise<string> {
    const stamp = (await this.users?.stampOf(user.userId)) ?? '';
    const ofToken = this.stamps === undefined ? undefined : stamp;
    const token = this.codec.encode(user, this.lifetimeSeconds, ofToken, newTokenId(stamp));
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new IllegalStateException(
        `the token of user ${user.userId} would have ${token.length} characters, ${MAX_TOKEN_LENGTH} is the most; ` +
          'the user has too many roles or permissions for a stateless token',
      );
    }
    return token;
  }

  /**
   * Without a promise unless `kit.auth.jwt.checkStamp` is on. A token whose signature is known is not computed again;
   * its times, and the stamp, are checked whenever it comes.
   */
  resolveToken(token: string): LoginUser | Promise<LoginUser> {
    const known = this.verified.get(token) ?? this.verify(token);
    checkTimes(known, this.lifetimeSeconds);
    const { user, stamp } = known;
    return this.stamps === undefined ? user : this.stamps.check(user.userId, stamp).then(() => user);
  }

  isIssuedFor(token: string, stamp: string): boolean {
    return isBoundTo((this.verified.get(token) ?? this.verify(token)).id, stamp);
  }

  /** Does nothing: a stateless token is valid until it expires or its user's stamp changes. */
  async invalidate(): Promise<void> {}

  userChanged(userId?: number): void {
    this.stamps?.forget(userId);
  }

  private verify(token: string): VerifiedToken {
    const claims = this.codec.decode(token);
    const { iat, exp, nbf, stamp, jti: id } = claims;
    const verified = { user: userOf(claims), iat, exp, nbf, stamp, id };
    this.verified.add(token, verified);
    return verified;
  }
}

/** Frozen, because every request with the token is given the same. One literal: spread objects are slow to read. */
function userOf(claims: Claims): LoginUser {
  const { userId, username, nickname, superAdmin, mustChangePassword } = claims;
  const roles = Object.freeze(claims.roles) as string[];
  const permissions = Object.freeze(claims.permissions) as string[];
  const user: LoginUser = { userId, username, nickname, superAdmin, roles, permissions };
  return Object.freeze(mustChangePassword ? { ...user, mustChangePassword } : user);
}
