import { authFeature } from 'kit-auth/feature';
import { OneTimeModule } from 'kit-auth/store';
import { Accounts } from './accounts.js';
import { EmailModuleParts } from './email-module-parts.js';
import { InvitationRoles } from './invitations/invitation-roles.js';
import { Invitations } from './invitations/invitations.js';
import { registrationApi } from './registration.api.js';
import { KitAuthInvitationController, KitAuthRegistrationController } from './registration.controller.js';
import { type KitAuthRegistrationOptions, registrationOptions } from './registration.options.js';
import { Completions } from './registration/completions.js';
import { DefaultRoles } from './registration/default-roles.js';
import { LinkSignUps } from './registration/link-sign-ups.js';
import { NewAccounts } from './registration/new-accounts.js';
import { Registrations } from './registration/registrations.js';

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
export class KitAuthRegistrationModule extends authFeature<KitAuthRegistrationOptions>(
  'kit-auth-registration',
  {
    options: registrationOptions,
    needs: { store: ['createUser', 'findByUsername', 'stampOf'], many: true },
    endpoints: registrationApi,
    imports: [OneTimeModule],
    controllers: [KitAuthRegistrationController, KitAuthInvitationController],
    providers: [
      EmailModuleParts,
      Accounts,
      DefaultRoles,
      InvitationRoles,
      Registrations,
      NewAccounts,
      Completions,
      LinkSignUps,
      Invitations,
    ],
  },
) {}
