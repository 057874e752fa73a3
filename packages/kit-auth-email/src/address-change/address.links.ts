import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type LoginUser } from 'kit-auth';
import { ActiveUserStore, summaryOf } from 'kit-auth/extend';
import { type IssuedToken, type NewOneTimeToken, OneTimeTokens } from 'kit-auth/one-time';
import type { Address } from '../addresses/address.js';
import { MailLinks } from '../config/mail.links.js';
import type { AuthMail } from '../mail/auth-mail.js';
import { conflict } from '../refusals.js';
import { MailLimits } from '../sending/mail.limits.js';
import { MailQueue } from '../sending/mail.queue.js';
import { type UserAddress, UserAddresses } from '../stores/user-addresses.js';

export const VERIFY = 'verify-address';
export const CHANGE = 'change-address';
const LIFETIME_SECONDS = 24 * 60 * 60;

/** The data of a token that verifies the current address. */
export interface VerifyData {
  readonly key: string;
}

/** The data of a token that changes the address. */
export interface ChangeData extends Address {
  /** The login that requested the change. It is not ended. */
  readonly loginId?: string | undefined;
}

/** Sends links that prove addresses. */
@Injectable()
export class AddressLinks {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly addresses: UserAddresses,
    private readonly tokens: OneTimeTokens,
    private readonly mails: MailQueue,
    private readonly limits: MailLimits,
    private readonly links: MailLinks,
  ) {}

  /**
   * Sends a link to the own address of a user.
   *
   * @throws AuthException 40900 when there is none, or it is verified; 50300 when too many mails wait
   */
  async verify(user: LoginUser): Promise<void> {
    const address = await this.addresses.find(user.userId);
    if (address === undefined) {
      throw conflict('You have no address yet: POST /v1/api/auth/email');
    }
    this.sendTo(user, address);
  }

  /**
   * Sends a link to the address that a user wants, and a notice to the present one. The address of another account gets
   * no mail, and the user does not learn of that account.
   *
   * @param loginId the login that goes on when the address changes
   * @throws AuthException 40900 when it is the verified address of the user, 40101 when the user is not enabled any more,
   * 50300 when too many mails wait
   */
  async change(user: LoginUser, wanted: Address, loginId: string | undefined): Promise<void> {
    const present = await this.addresses.find(user.userId);
    if (present?.key === wanted.key) {
      this.sendTo(user, present);
      return;
    }
    const { userId, username } = user;
    // Now and not when the link is made: it must not outlive a password change between this request and the mail.
    const stamp = await this.users.stampOf(userId);
    if (stamp === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'disabled' });
    }
    // Queue the notice first, so that no link is sent without it if the queue is almost full.
    if (present !== undefined) {
      const expiresAt = new Date(Date.now() + LIFETIME_SECONDS * 1000);
      const kind = 'address-changed';
      this.mails.add({ kind, subjectId: userId, subject: username }, async () => ({
        ...{ kind, to: present.address, expiresAt, user: summaryOf(user) },
      }));
    }
    this.mails.add({ kind: VERIFY, subjectId: userId, subject: username }, async () => {
      const isFree = (await this.addresses.findByKey(wanted.key)) === undefined;
      const data: ChangeData = { ...wanted, loginId };
      return isFree && (await this.limits.countMail(VERIFY, wanted.key))
        ? this.mailTo(wanted.address, user, await this.issue({ purpose: CHANGE, userId, stamp, data }))
        : undefined;
    });
  }

  private sendTo(user: LoginUser, { address, key, verifiedAt }: UserAddress): void {
    if (verifiedAt !== undefined) {
      throw conflict('This is your address already, and it is verified');
    }
    const { userId, username } = user;
    this.mails.add({ kind: VERIFY, subjectId: userId, subject: username }, async () => {
      const data: VerifyData = { key };
      return (await this.limits.countMail(VERIFY, key))
        ? this.mailTo(address, user, await this.issue({ purpose: VERIFY, userId, data }))
        : undefined;
    });
  }

  private issue(token: Omit<NewOneTimeToken, 'ttlSeconds' | 'replaces'>): Promise<IssuedToken> {
    return this.tokens.issue({ ...token, ttlSeconds: LIFETIME_SECONDS, replaces: true });
  }

  private mailTo(to: string, user: LoginUser, { token, expiresAt }: IssuedToken): AuthMail {
    const link = this.links.build('verify', token);
    return { kind: VERIFY, to, link, expiresAt, user: summaryOf(user) };
  }
}
