import { AuthErrorCode, AuthEvents, AuthException } from 'kit-auth';
import {
  ActingAdministrators,
  ActiveUserStore,
  type Call,
  conflict,
  Endpoint,
  KitAuthController,
} from 'kit-auth/feature';
import { emailApi } from '../email.api.js';
import { MailLimits } from '../mails/mail.limits.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { PasswordReset } from './password.reset.js';
import { ResetLinks } from './reset.links.js';

type Api = typeof emailApi;

/** Endpoints for users who forgot their password. */
@KitAuthController()
export class KitAuthForgottenPasswordController {
  constructor(
    private readonly links: ResetLinks,
    private readonly resets: PasswordReset,
    private readonly limits: MailLimits,
    private readonly events: AuthEvents,
  ) {}

  /** Gives the same answer for every address, before any lookup. */
  @Endpoint(emailApi, 'POST password/forgot')
  async forgot({ body }: Call<Api, 'POST password/forgot'>): Promise<void> {
    const action = this.events.begin();
    await this.limits.countRequest();
    this.links.sendTo(body.email.key, action);
  }

  @Endpoint(emailApi, 'POST password/reset')
  async reset({ body: { token, newPassword } }: Call<Api, 'POST password/reset'>): Promise<void> {
    await this.resets.reset(token, newPassword);
  }
}

/** Administrators start a reset. They do not choose the password (OWASP ASVS 6.4.6). */
@KitAuthController()
export class KitAuthResetLinkController {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly addresses: UserAddresses,
    private readonly links: ResetLinks,
    private readonly limits: MailLimits,
  ) {}

  @Endpoint(emailApi, 'POST users/{id}/reset-link')
  send({ params }: Call<Api, 'POST users/{id}/reset-link'>): Promise<void> {
    const administrator = this.administrators.begin('auth:user:write');
    return administrator.noting(async () => {
      const authority = await administrator.authority();
      const id = this.users.idFrom(params.id);
      const [user, address] =
        id === undefined ? [] : await Promise.all([this.users.loadLoginUser(id), this.addresses.find(id)]);
      if (user === undefined) {
        throw address === undefined
          ? new AuthException(AuthErrorCode.NOT_FOUND, { message: 'User not found' })
          : conflict('The user is not enabled');
      }
      authority.require(user);
      if (address === undefined) {
        throw conflict('The user has no email address');
      }
      await this.limits.countSentLink(address.key);
      this.links.sendFor(user, address, administrator.action);
    });
  }
}
