import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type OnModuleInit,
} from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { ActiveUserStore, AUTH_OPERATIONS, CommandHooks } from 'kit-auth/extend';
import { OneTimeModule } from 'kit-auth/one-time';
import { LOGIN_LINK_SIGN_UP } from 'kit-auth-email/extend';
import { Accounts } from './email/accounts.js';
import { EmailModuleParts } from './email/email-module-parts.js';
import {
  type KitAuthRegistrationOptions,
  registrationOptions,
  type ResolvedRegistrationOptions,
} from './config/registration.options.js';
import { KitAuthInvitationController } from './invitations/invitation.controller.js';
import { Invitations } from './invitations/invitations.js';
import { registrationOperations } from './operations.js';
import { Completions } from './registration/completions.js';
import { LinkSignUps } from './registration/link-sign-ups.js';
import { NewAccounts } from './registration/new-accounts.js';
import { KitAuthRegistrationController } from './registration/registration.controller.js';
import { Registrations } from './registration/registrations.js';
import { DefaultRoles } from './roles/default-roles.js';
import { InvitationRoles } from './roles/invitation-roles.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthRegistrationOptions>().setClassMethodName('forRoot').build();

/**
 * Registration by a link to the address, and invitations. It needs `KitAuthEmailModule`. Import the class itself, or
 * `forRoot()` or `forRootAsync()` to pass options, once.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthEmailModule.forRoot({ links, mailer }),
 *     KitAuthRegistrationModule.forRoot({ mode: 'invited' }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  imports: [OneTimeModule],
  controllers: [KitAuthRegistrationController, KitAuthInvitationController],
  providers: [
    registrationOptions.provider(MODULE_OPTIONS_TOKEN),
    EmailModuleParts,
    Accounts,
    DefaultRoles,
    InvitationRoles,
    Registrations,
    NewAccounts,
    Completions,
    LinkSignUps,
    { provide: LOGIN_LINK_SIGN_UP, useExisting: LinkSignUps },
    Invitations,
    { provide: AUTH_OPERATIONS, useValue: registrationOperations },
  ],
})
export class KitAuthRegistrationModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    private readonly users: ActiveUserStore,
    @Inject(registrationOptions.token) private readonly own: ResolvedRegistrationOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthRegistrationOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the user store lacks a method */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.users.require('kit-auth-registration', 'createUser', 'findByUsername', 'stampOf');
      if (this.own.settings.roles.length > 0) {
        this.users.require('kit.auth.registration.roles', 'grantsOf');
      }
    }
  }
}
