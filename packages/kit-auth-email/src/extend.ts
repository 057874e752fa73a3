export { MailLinks } from './config/mail.links.js';
export { readAddress } from './endpoints/read-address.js';
export { LOGIN_LINK_SIGN_UP, type LoginLinkSignUp } from './login-links/sign-ups.js';
export { MailLimits } from './sending/mail.limits.js';
export { MailQueue } from './sending/mail.queue.js';
