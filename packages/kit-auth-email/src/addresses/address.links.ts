import { Injectable } from '@nestjs/common';
import type { AuthAction, LoginUser } from 'kit-auth';
import { ActiveUserStore, type Address, conflict, invalidToken } from 'kit-auth/feature';
import { Factors, summaryOf } from 'kit-auth/login';
import { type IssuedToken, type NewOneTimeToken, OneTimeTokens } from 'kit-auth/store';
import { MailLinks } from '../mails/mail.links.js';
import type { AuthMail } from '../mails/auth-mail.js';
import { MailLimits } from '../mails/mail.limits.js';
import { MailQueue } from '../mails/mail.queue.js';
import { type UserAddress, UserAddresses } from '../stores/user-addresses.js';
import { addressForNotices, CHANGE, type ChangeData } from './pending-changes.js';

export const VERIFY = 'verify-address';
const LIFETIME_SECONDS = 24 * 60 * 60;

/** The data of a token that verifies the current address. */
export interface VerifyData {
  readonly key: string;
}

/** Sends links that verify addresses. */
@Injectable()
export class AddressLinks {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly addresses: UserAddresses,
    private readonly tokens: OneTimeTokens,
    private readonly mails: MailQueue,
    private readonly limits: MailLimits,
    private readonly links: MailLinks,
    private readonly factors: Factors,
  ) {}

  /**
   * Sends a link to the current address of a user.
   *
   * @throws AuthException 40900 without an address, and for a verified one; 50300 when too many mails wait
   */
  async verify(user: LoginUser): Promise<void> {
    const address = await this.addresses.find(user.userId);
    if (address === undefined) {
      throw conflict('You have no address yet: POST /v1/api/auth/email');
    }
    this.sendTo(user, address);
  }

  /**
   * Sends a link to the new address of a user, and a notice to the current one. If the new address belongs to another
   * account, it gets no mail, and the user is not told. The change can be ended as soon as this resolves.
   *
   * @param loginId the login that requests the change. It survives the change of the address
   * @throws AuthException 40900 when it is already the verified address of the user, 40101 for a disabled user, 50300 when too many mails wait
   */
  async change(
    action: AuthAction,
    user: LoginUser,
    wanted: Address,
    loginId: string | undefined,
  ): Promise<void> {
    const { userId, username } = user;
    const present = await this.addresses.find(userId);
    if (present?.key === wanted.key) {
      this.sendTo(user, present);
      return;
    }
    const stamp = await this.users.stampOf(userId);
    if (stamp === undefined) {
      throw invalidToken('disabled');
    }
    const hadSecondFactor = (await this.factors.secondOf(user, true)).names.length > 0;
    const about = { subjectId: userId, subject: username };
    let issuing: Promise<IssuedToken | undefined> | undefined = undefined;
    const issued = async () => issuing?.catch(() => undefined);
    // Reserve places in the queue first: if it is full, nothing is stored. The mails wait for the token. The notice comes
    // first, so that no link is sent without it.
    const noticeTo = addressForNotices(username, present, wanted);
    if (noticeTo !== undefined) {
      const kind = 'address-changed';
      this.mails.add({ kind, ...about }, async () => {
        const link = await issued();
        return link && { kind, to: noticeTo, expiresAt: link.expiresAt, user: summaryOf(user) };
      });
    }
    this.mails.add({ kind: VERIFY, ...about }, async () => {
      const link = await issued();
      const isWanted =
        link !== undefined && (await this.tokens.list({ purpose: CHANGE, id: link.id })).length > 0;
      const isFree =
        isWanted &&
        (await this.addresses.findByKey(wanted.key)) === undefined &&
        !(await this.addresses.isUsername(wanted.key, userId));
      return isFree ? this.mailTo(wanted.address, user, link) : undefined;
    });
    issuing = this.request({ ...wanted, loginId, hadSecondFactor }, user, stamp);
    if ((await issuing) !== undefined) {
      action.note({ type: 'address-change-requested', ...about });
    }
  }

  /**
   * The result does not depend on whether the address is free.
   *
   * @returns undefined after too many mails to the address
   */
  private async request(
    data: ChangeData,
    { userId }: LoginUser,
    stamp: string,
  ): Promise<IssuedToken | undefined> {
    return (await this.limits.countMail(CHANGE, data.key))
      ? this.issue({ purpose: CHANGE, userId, stamp, data })
      : undefined;
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

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** A user has requested another address. It is not confirmed yet. */
    'address-change-requested': true;
  }
}
