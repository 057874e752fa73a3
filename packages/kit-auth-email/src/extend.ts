export { MailLinks } from './config/mail.links.js';
export { readAddress } from './endpoints/read-address.js';
export { MailLimits } from './sending/mail.limits.js';
export { MailQueue } from './sending/mail.queue.js';
