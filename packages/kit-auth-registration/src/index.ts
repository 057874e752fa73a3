export { KitAuthRegistrationModule } from './kit-auth-registration.module.js';
export type { InvitationView, SentInvitation } from './registration.api.js';
export type { KitAuthRegistrationOptions } from './registration.options.js';
