export type {
  KitAuthRegistrationOptions,
  KitAuthRegistrationOptionsFactory,
} from './config/registration.options.js';
export type { InvitationView, SentInvitation } from './invitations/invitations.js';
export { KitAuthRegistrationModule } from './kit-auth-registration.module.js';
