import { Inject, Injectable } from '@nestjs/common';
import { KitAuthContext, type LoginUser } from 'kit-auth';
import { ActiveUserStore, type Address, PasswordHashing, summaryOf } from 'kit-auth/extend';
import { type IssuedToken, OneTimeTokens } from 'kit-auth/one-time';
import { emailOptions, type ResolvedEmailOptions } from '../config/email.options.js';
import { MailLinks } from '../config/mail.links.js';
import type { AuthMail } from '../mail/auth-mail.js';
import { KnownPlaces } from '../sending/known-places.js';
import { MailLimits } from '../sending/mail.limits.js';
import { MailQueue } from '../sending/mail.queue.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { newCode } from './login-codes.js';
import { LOGIN_LINK, type LoginLinkData } from './login-link.js';
import { SignUps } from './sign-ups.js';

/** What the completion of a login needs of the request for its link. */
export type AskingBrowser = Pick<LoginLinkData, 'browser' | 'remember'>;

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
    private readonly signUps: SignUps,
    @Inject(emailOptions.token) { settings: { loginLinks } }: ResolvedEmailOptions,
  ) {
    this.ttlSeconds = loginLinks === false ? 0 : loginLinks.minutes * 60;
  }

  /**
   * Sends a link in the background. Neither the answer nor its time reveals whether the address is known.
   *
   * @throws AuthException 50300 when too many mails wait
   */
  sendTo(address: Address, asking: AskingBrowser): void {
    const client = this.context.client();
    this.mails.add({ kind: 'login' }, async () => {
      const recipient = await this.recipientOf(address);
      const asker = {
        key: address.key,
        username: recipient?.user?.username,
        client,
        browser: asking.browser,
      };
      if (!(await this.limits.countMail('login', address.key, await this.places.placeOf(asker)))) {
        return undefined;
      }
      const code = newCode();
      // A slow one: whoever reads the table could try all codes with a fast hash. For unknown addresses too, because its
      // load can be noticed.
      const codeHash = await this.hashing.hash(code);
      const issued = await this.issueFor(recipient, address, { ...asking, code: codeHash });
      return recipient && this.mailTo(recipient, issued, code);
    });
  }

  /**
   * Unverified addresses get no links: whoever has created the account may not be the owner of the address, and would
   * share the account with them.
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
   * whether there is one. Without a user and an address, the token logs in nobody.
   */
  private async issueFor(
    recipient: Recipient | undefined,
    { address, key }: Address,
    asked: AskingBrowser & Pick<LoginLinkData, 'code'>,
  ): Promise<IssuedToken> {
    const user = recipient?.user;
    const data: LoginLinkData = {
      ...asked,
      ...(user && { username: user.username }),
      ...(recipient && !user && { address }),
    };
    // Also the link of a user who had the address before.
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
