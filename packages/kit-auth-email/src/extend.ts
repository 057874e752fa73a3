export { type Address, parseAddress } from './addresses/address.js';
export {
  emailOptions,
  type EmailSettings,
  missingLink,
  type ResolvedEmailOptions,
} from './config/email.options.js';
export { linkWith } from './config/links.js';
export { readAddress } from './endpoints/read-address.js';
export { MailLimits } from './sending/mail.limits.js';
export { type MailedAbout, MailQueue } from './sending/mail.queue.js';
export { UserAddresses } from './stores/user-addresses.js';
