import { AuthErrorCode } from 'kit-auth';
import { authFeature, endpointsIf } from 'kit-auth/feature';
import { FreshOptionsModule } from 'kit-auth/login';
import { OneTimeModule } from 'kit-auth/store';
import { AccountNotices } from './account.notices.js';
import { AddressConfirmation } from './addresses/address.confirmation.js';
import { AddressLinks } from './addresses/address.links.js';
import { KitAuthEmailController } from './addresses/email.controller.js';
import { PendingChanges } from './addresses/pending-changes.js';
import { emailAdditions, emailApi } from './email.api.js';
import { emailOptions, type KitAuthEmailOptions, type ResolvedEmailOptions } from './email.options.js';
import { EmailFactor } from './logins/email.factor.js';
import { LinkLogins } from './logins/link.logins.js';
import { KitAuthLoginLinkController } from './logins/login-link.controller.js';
import { LoginLinkCookie } from './logins/login-link.cookie.js';
import { LoginLinks } from './logins/login-links.js';
import { LoginLinkSignUps } from './logins/sign-ups.js';
import { ActiveMailer } from './mails/active.mailer.js';
import { KnownPlaces } from './mails/known-places.js';
import { MailLimits } from './mails/mail.limits.js';
import { MailLinks } from './mails/mail.links.js';
import { MailLocales } from './mails/mail.locales.js';
import { MailQueue } from './mails/mail.queue.js';
import { PasswordReset, ResetStep } from './reset/password.reset.js';
import { KitAuthForgottenPasswordController, KitAuthResetLinkController } from './reset/reset.controller.js';
import { ResetLinks } from './reset/reset.links.js';
import { AddressesModule } from './stores/addresses.module.js';

/**
 * Email addresses of users: password reset by a link, login links, verified changes of addresses, and notices about changes to
 * an account. Import it once, with `forRoot()` or `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthEmailModule.forRoot({
 *       links: {
 *         reset: 'https://app.example/reset#{token}',
 *         verify: 'https://app.example/verify#{token}',
 *       },
 *       mailer: new NodemailerMailer({ transport: process.env.SMTP_URL, from: 'App <no-reply@app.example>', appName: 'App' }),
 *     }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthEmailModule extends authFeature<KitAuthEmailOptions>('kit-auth-email', {
  options: emailOptions,
  needs: { store: ['stampOf', 'changePassword'] },
  reasons: {
    [AuthErrorCode.LINK_INVALID]: ['other-browser'],
    [AuthErrorCode.TOKEN_INVALID]: ['disabled', 'address-changed'],
  },
  endpoints: emailApi,
  additions: emailAdditions,
  imports: [OneTimeModule, FreshOptionsModule, AddressesModule],
  controllers: [
    KitAuthForgottenPasswordController,
    KitAuthEmailController,
    KitAuthResetLinkController,
    KitAuthLoginLinkController,
  ],
  steps: [ResetStep],
  factors: [EmailFactor],
  sinks: [AccountNotices],
  providers: [
    ActiveMailer,
    MailLocales,
    MailQueue,
    MailLimits,
    KnownPlaces,
    MailLinks,
    ResetLinks,
    PasswordReset,
    AddressLinks,
    PendingChanges,
    AddressConfirmation,
    LoginLinkCookie,
    LoginLinks,
    LinkLogins,
    LoginLinkSignUps,
    endpointsIf(
      KitAuthLoginLinkController,
      [emailOptions.token],
      ({ settings }: ResolvedEmailOptions) => settings.loginLinks !== false,
    ),
  ],
  exports: [AddressesModule, MailQueue, MailLimits, MailLinks, LoginLinkSignUps],
  isGlobal: true,
}) {}
