import { Inject, Injectable } from '@nestjs/common';
import {
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginProof,
  type LoginUser,
  type OpenedLogin,
  type UserId,
} from 'kit-auth';
import { ActiveProvider } from 'kit-auth/login';
import { ActiveUserStore, unavailable } from 'kit-auth/feature';
import { type ResolvedRefreshOptions, refreshOptions } from '../refresh.options.js';
import { type RefreshToken, writeToken } from '../tokens/refresh-token.js';

/** The part of the lifetime by which an access token may end earlier. */
const JITTER = 0.05;
const MAX_ATTEMPTS = 3;

type OpenedToken = Omit<RefreshToken, 'userId'>;

/** A user as they are now. */
export interface CurrentUser {
  readonly user: LoginUser;
  /** Undefined when the user store has no stamps. */
  readonly stamp: string | undefined;
}

/** An access token, and the user that it contains. */
export interface IssuedAccess extends CurrentUser {
  readonly token: string;
}

/** Issues access tokens. */
@Injectable()
export class AccessTokens {
  private readonly lifetimeSeconds: number;

  constructor(
    private readonly provider: ActiveProvider,
    private readonly users: ActiveUserStore,
    @Inject(refreshOptions.token) { settings }: ResolvedRefreshOptions,
    @Inject(KIT_AUTH_SETTINGS) { jwt }: KitAuthSettings,
  ) {
    this.lifetimeSeconds = Math.min(settings.accessMinutes, jwt.expireMinutes) * 60;
  }

  /**
   * The end of an access token that is issued now, in seconds since 1970.
   *
   * @param loginEnd in milliseconds since 1970
   */
  endFrom(now: number, loginEnd: number): number {
    const seconds = Math.floor(this.lifetimeSeconds * (1 - JITTER * Math.random()));
    return Math.min(Math.floor(now / 1000) + seconds, Math.floor(loginEnd / 1000));
  }

  /** The result of a login whose access token has not been issued yet. @param loginEnd in milliseconds since 1970 */
  opened(proof: LoginProof, token: OpenedToken, now: number, loginEnd: number): OpenedLogin {
    const expiresAt = this.endFrom(now, loginEnd);
    return {
      proof: { ...proof, loginId: token.id, expiresAt },
      answer: { expiresAt, refreshToken: writeToken(token) },
      endsAt: Math.floor(loginEnd / 1000),
    };
  }

  /** @returns undefined when the user is unknown or not enabled */
  async userOf(userId: UserId): Promise<CurrentUser | undefined> {
    // The stamp first: if the user is changed in between, the stamp does not match the new user, and no token is
    // issued.
    const status = await this.statusOf(userId);
    const user = status && (status.user ?? (await this.users.loadLoginUser(userId)));
    return user && { user, stamp: status.stamp };
  }

  /**
   * The stamp of a user, with one look-up. User stores without stamps return the user instead.
   *
   * @returns undefined when the user is unknown or not enabled
   */
  async statusOf(userId: UserId): Promise<{ stamp: string | undefined; user?: LoginUser } | undefined> {
    // A store that is asked for an id of another type may fail.
    if (typeof userId !== this.users.idType) {
      return undefined;
    }
    if (this.users.has('stampOf')) {
      const stamp = await this.users.stampOf(userId);
      return stamp === undefined ? undefined : { stamp };
    }
    const user = await this.users.loadLoginUser(userId);
    return user && { stamp: undefined, user };
  }

  /**
   * Issues a token. If the user is changed at the same time, the token is for the changed user.
   *
   * @returns undefined when the user is unknown or not enabled by now
   */
  async issue(current: CurrentUser, proof: LoginProof): Promise<IssuedAccess | undefined> {
    const provider = this.provider.get();
    let latest: CurrentUser | undefined = current;
    for (let attempt = 0; latest !== undefined && attempt < MAX_ATTEMPTS; attempt++) {
      const { user, stamp } = latest;
      const token = await provider.issueToken(user, proof);
      const principal = { user, proof, scheme: provider.extensionName, token };
      if (stamp === undefined || this.provider.isIssuedFor(principal, stamp)) {
        return { user, stamp, token };
      }
      latest = await this.userOf(user.userId);
    }
    if (latest !== undefined) {
      throw unavailable();
    }
    return undefined;
  }
}
