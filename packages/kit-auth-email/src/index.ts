export type { KitAuthEmailOptions, KitAuthEmailOptionsFactory } from './config/email.options.js';
export { KitAuthEmailModule } from './kit-auth-email.module.js';
export { AUTH_MAILER, type AuthMail, type AuthMailer, type AuthMailKind } from './mail/auth-mail.js';
export { LOCALES_OF_USERS, type LocalesOfUsers } from './mail/locales-of-users.js';
export { LogMailer } from './mail/log.mailer.js';
export type { AddressSource } from './stores/auth-user-email.entity.js';
export { type AssignedAddress, type UserAddress, UserAddresses } from './stores/user-addresses.js';
