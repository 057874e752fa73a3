import { Inject, Injectable } from '@nestjs/common';
import { type AuthAction, KitAuthContext, type LoginUser } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { NewPasswords, summaryOf } from 'kit-auth/login';
import { OneTimeTokens } from 'kit-auth/store';
import { emailOptions, type ResolvedEmailOptions } from '../email.options.js';
import { MailLinks } from '../mails/mail.links.js';
import type { AuthMail } from '../mails/auth-mail.js';
import { KnownPlaces } from '../mails/known-places.js';
import { MailLimits } from '../mails/mail.limits.js';
import { MailQueue } from '../mails/mail.queue.js';
import { type UserAddress, UserAddresses } from '../stores/user-addresses.js';

export const RESET = 'reset';
const LIFETIME_SECONDS = 60 * 60;

/** The data of a token for a reset, besides its user. */
export interface ResetData {
  /** The key of the address that the link was sent to. */
  readonly key: string;
}

/** Sends links to choose a new password. */
@Injectable()
export class ResetLinks {
  constructor(
    private readonly addresses: UserAddresses,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly mails: MailQueue,
    private readonly limits: MailLimits,
    private readonly places: KnownPlaces,
    private readonly context: KitAuthContext,
    private readonly links: MailLinks,
    @Inject(emailOptions.token) { settings }: ResolvedEmailOptions,
    passwords: NewPasswords,
  ) {
    if (!settings.adminSetsPasswords) {
      passwords.disableAdminResets(
        'Administrators cannot replace passwords in this application. ' +
          'Send a reset link: POST /v1/api/auth/users/{id}/reset-link',
      );
    }
  }

  /**
   * Sends a link to the user with an address, if there is such a user and they are enabled.
   *
   * @throws AuthException 50300 when too many mails wait
   */
  sendTo(key: string, action: AuthAction): void {
    const client = this.context.client();
    this.mails.add({ kind: 'reset' }, async () => {
      const address = await this.addresses.findByKey(key);
      const user = address && (await this.users.loadLoginUser(address.userId));
      if (address === undefined || user === undefined) {
        return undefined;
      }
      const place = await this.places.placeOf({ key, username: user.username, client });
      return (await this.limits.countMail(RESET, key, place))
        ? this.mailTo(address, user, action)
        : undefined;
    });
  }

  /**
   * Sends a link to a user, at the request of an administrator.
   *
   * @throws AuthException 50300 when too many mails wait
   */
  sendFor(user: LoginUser, address: UserAddress, action: AuthAction): void {
    const { userId: subjectId, username: subject } = user;
    this.mails.add({ kind: 'reset', subjectId, subject }, () => this.mailTo(address, user, action));
  }

  private async mailTo(
    { address, key }: UserAddress,
    user: LoginUser,
    action: AuthAction,
  ): Promise<AuthMail> {
    const { userId, username } = user;
    const data: ResetData = { key };
    const { token, expiresAt } = await this.tokens.issue({
      purpose: RESET,
      userId,
      data,
      ttlSeconds: LIFETIME_SECONDS,
      replaces: true,
    });
    action.note({ type: 'password-reset-requested', subjectId: userId, subject: username });
    const link = this.links.build('reset', token);
    return { kind: 'reset', to: address, link, expiresAt, user: summaryOf(user) };
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** A link to reset the password was sent. */
    'password-reset-requested': true;
  }
}
