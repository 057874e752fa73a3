import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Logger,
  Module,
  type OnModuleInit,
} from '@nestjs/common';
import {
  AuthErrorCode,
  AUTH_EVENT_SINK,
  AUTH_FACTOR,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  LOGIN_STEP,
} from 'kit-auth';
import {
  ActiveUserStore,
  AUTH_OPERATIONS,
  CommandHooks,
  declareReasons,
  endpointsIf,
  FreshOptionsModule,
  NewPasswords,
  Ports,
} from 'kit-auth/extend';
import { OneTimeModule } from 'kit-auth/one-time';
import { AddressConfirmation } from './address-change/address.confirmation.js';
import { AddressLinks } from './address-change/address.links.js';
import { PendingChanges } from './address-change/pending-changes.js';
import { EmailFactor } from './confirmation/email.factor.js';
import { emailOptions, type KitAuthEmailOptions, type ResolvedEmailOptions } from './config/email.options.js';
import { MailLinks } from './config/mail.links.js';
import { KitAuthEmailController } from './endpoints/email.controller.js';
import { KitAuthLoginLinkController } from './endpoints/login-link.controller.js';
import { KitAuthForgottenPasswordController } from './endpoints/password.controller.js';
import { KitAuthResetLinkController } from './endpoints/reset-link.controller.js';
import { LinkLogins } from './login-links/link.logins.js';
import { LoginLinkCookie } from './login-links/login-link.cookie.js';
import { LoginLinks } from './login-links/login-links.js';
import { SignUps } from './login-links/sign-ups.js';
import { AccountNotices } from './notices/account.notices.js';
import { emailOperations } from './operations.js';
import { PasswordReset } from './reset/password.reset.js';
import { ResetLinks } from './reset/reset.links.js';
import { ResetStep } from './reset/reset.step.js';
import { ActiveMailer } from './sending/active.mailer.js';
import { KnownPlaces } from './sending/known-places.js';
import { MailLimits } from './sending/mail.limits.js';
import { MailLocales } from './sending/mail.locales.js';
import { MailQueue } from './sending/mail.queue.js';
import { AddressesModule } from './stores/addresses.module.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthEmailOptions>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Email addresses of users: password reset by a link, verified changes of addresses, and notices about changes to an
 * account. Import it once, with `forRoot()` or `forRootAsync()`.
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
@CommandHooks()
@Global()
@Module({
  imports: [OneTimeModule, FreshOptionsModule, AddressesModule],
  controllers: [
    KitAuthForgottenPasswordController,
    KitAuthEmailController,
    KitAuthResetLinkController,
    KitAuthLoginLinkController,
  ],
  providers: [
    emailOptions.provider(MODULE_OPTIONS_TOKEN),
    ActiveMailer,
    MailLocales,
    MailQueue,
    MailLimits,
    KnownPlaces,
    MailLinks,
    ResetLinks,
    PasswordReset,
    ResetStep,
    { provide: LOGIN_STEP, useExisting: ResetStep },
    AddressLinks,
    PendingChanges,
    AddressConfirmation,
    LoginLinkCookie,
    LoginLinks,
    LinkLogins,
    SignUps,
    endpointsIf(
      KitAuthLoginLinkController,
      [emailOptions.token],
      ({ settings }: ResolvedEmailOptions) => settings.loginLinks !== false,
    ),
    EmailFactor,
    { provide: AUTH_FACTOR, useExisting: EmailFactor },
    AccountNotices,
    { provide: AUTH_EVENT_SINK, useExisting: AccountNotices },
    { provide: AUTH_OPERATIONS, useValue: emailOperations },
    declareReasons({
      [AuthErrorCode.LINK_INVALID]: ['other-browser'],
      [AuthErrorCode.TOKEN_INVALID]: ['disabled', 'address-changed'],
    }),
  ],
  exports: [AddressesModule, MailQueue, MailLimits, MailLinks],
})
export class KitAuthEmailModule extends ConfigurableModuleClass implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');

  constructor(
    @Inject(emailOptions.token) { settings }: ResolvedEmailOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly users: ActiveUserStore,
    private readonly ports: Ports,
    passwords: NewPasswords,
  ) {
    super();
    if (!settings.adminSetsPasswords) {
      passwords.disableAdminResets(
        'Administrators cannot replace passwords in this application. ' +
          'Send a reset link: POST /v1/api/auth/users/{id}/reset-link',
      );
    }
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthEmailOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the user store lacks what a reset needs, or the module is imported twice */
  onModuleInit(): void {
    if (!this.core.enabled) {
      return;
    }
    // Two of them would send every notice twice.
    this.ports.requireOneImport(KitAuthEmailModule);
    this.users.require('kit-auth-email', 'stampOf', 'changePassword');
    if (!this.users.has('changeUsername')) {
      this.logger.log(
        `[auth] off, because the user store ${this.users.get().constructor.name} lacks the method changeUsername: ` +
          'usernames that are addresses do not change with the address',
      );
    }
  }
}
