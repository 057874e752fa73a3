import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { OneTimeTokens } from 'kit-auth/one-time';
import { LOGIN_CHALLENGE } from 'kit-auth/second-factor';

/** The purpose of the codes that apps exchange. */
export const CODE = 'oidc-code';

/** Logins that have begun, and have no token yet. */
@Injectable()
export class PendingLogins {
  constructor(private readonly tokens: OneTimeTokens) {}

  /**
   * Ends those of a user who has lost an identity, also those that wait for a second factor.
   *
   * @param transaction that of the change
   */
  async cancelOf(userId: UserId, transaction: unknown): Promise<void> {
    await this.cancelCodesOf(userId, transaction);
    await this.tokens.cancel({ purpose: LOGIN_CHALLENGE, userId }, transaction);
  }

  /** Ends the codes of apps. @param transaction that of the change */
  async cancelCodesOf(userId: UserId, transaction: unknown): Promise<void> {
    await this.tokens.cancel({ purpose: CODE, userId }, transaction);
  }
}
