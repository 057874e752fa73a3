import { Inject, Injectable } from '@nestjs/common';
import { KitAuthContext, type LoginUser } from 'kit-auth';
import { ActiveUserStore, type Address } from 'kit-auth/feature';
import { PasswordHashing, summaryOf } from 'kit-auth/login';
import { type IssuedToken, OneTimeTokens, type PeekedToken } from 'kit-auth/store';
import { emailOptions, type ResolvedEmailOptions } from '../email.options.js';
import { MailLinks } from '../mails/mail.links.js';
import type { AuthMail } from '../mails/auth-mail.js';
import { KnownPlaces } from '../mails/known-places.js';
import { MailLimits } from '../mails/mail.limits.js';
import { MailQueue } from '../mails/mail.queue.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { newCode } from './login-codes.js';
import { LoginLinkSignUps } from './sign-ups.js';

/** The purpose of the tokens in login links. Their subject is the key of the address. */
export const LOGIN_LINK = 'login-link';

/** The data of a token in a login link. */
export interface LoginLinkData {
  /** A hash of the secret of the browser that requested it. */
  readonly browser: string;
  /** A slow hash of the code in the mail. */
  readonly code: string;
  /** Tells whether the browser remembers the login. Undefined if the request did not say so. */
  readonly remember?: boolean | undefined;
  /** The name of the user, for events. */
  readonly username?: string;
  /** The address as it was typed, if the link creates an account for it. */
  readonly address?: string;
}

export function dataOf({ data }: Pick<PeekedToken, 'data'>): LoginLinkData {
  return data as LoginLinkData;
}

/** Data of the request for a link that the login needs. */
export type LinkRequest = Pick<LoginLinkData, 'browser' | 'remember'>;

interface Recipient {
  readonly to: string;
  /** Undefined if there is no account yet. */
  readonly user: LoginUser | undefined;
}

/** Sends links and codes to log in. */
@Injectable()
export class LoginLinks {
  private readonly ttlSeconds: number;

  constructor(
    private readonly addresses: UserAddresses,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly hashing: PasswordHashing,
    private readonly mails: MailQueue,
    private readonly limits: MailLimits,
    private readonly places: KnownPlaces,
    private readonly context: KitAuthContext,
    private readonly links: MailLinks,
    private readonly signUps: LoginLinkSignUps,
    @Inject(emailOptions.token) { settings: { loginLinks } }: ResolvedEmailOptions,
  ) {
    this.ttlSeconds = loginLinks === false ? 0 : loginLinks.minutes * 60;
  }

  /**
   * Sends a link in the background. Neither the answer nor its time reveals whether the address is known.
   *
   * @throws AuthException 50300 when too many mails wait
   */
  sendTo(address: Address, request: LinkRequest): void {
    const client = this.context.client();
    this.mails.add({ kind: 'login' }, async () => {
      const recipient = await this.recipientOf(address);
      const asker = {
        key: address.key,
        username: recipient?.user?.username,
        client,
        browser: request.browser,
      };
      if (!(await this.limits.countMail('login', address.key, await this.places.placeOf(asker)))) {
        return undefined;
      }
      const code = newCode();
      // A slow hash: with a fast one, a reader of the table could try all codes. Unknown addresses get one too, because the
      // load can be noticed.
      const codeHash = await this.hashing.hash(code);
      const issued = await this.issueFor(recipient, address, { ...request, code: codeHash });
      return recipient && this.mailTo(recipient, issued, code);
    });
  }

  /**
   * Unverified addresses get no links: someone else than the owner of the address may have created the account, and both
   * would share it.
   */
  private async recipientOf({ address, key }: Address): Promise<Recipient | undefined> {
    const owner = await this.addresses.findByKey(key);
    if (owner === undefined) {
      return (await this.signUps.allows(key)) ? { to: address, user: undefined } : undefined;
    }
    const user = owner.verifiedAt === undefined ? undefined : await this.users.loadLoginUser(owner.userId);
    return user && { to: owner.address, user };
  }

  /**
   * Issues the token, also for an address that gets no mail. A wrong code is counted with the token, so its time would reveal
   * whether there is one. A token without a user and an address logs no one in.
   */
  private async issueFor(
    recipient: Recipient | undefined,
    { address, key }: Address,
    request: LinkRequest & Pick<LoginLinkData, 'code'>,
  ): Promise<IssuedToken> {
    const user = recipient?.user;
    const data: LoginLinkData = {
      ...request,
      ...(user && { username: user.username }),
      ...(recipient && !user && { address }),
    };
    // Includes the link of a user who had the address before.
    await this.tokens.cancel({ purpose: LOGIN_LINK, subject: key });
    return this.tokens.issue({
      purpose: LOGIN_LINK,
      ...(user && { userId: user.userId }),
      subject: key,
      data,
      ttlSeconds: this.ttlSeconds,
      replaces: true,
    });
  }

  private mailTo({ to, user }: Recipient, { token, expiresAt }: IssuedToken, code: string): AuthMail {
    const link = this.links.build('login', token);
    return { kind: 'login', to, link, code, expiresAt, ...(user && { user: summaryOf(user) }) };
  }
}
