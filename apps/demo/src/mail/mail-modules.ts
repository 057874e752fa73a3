import type { DynamicModule } from '@nestjs/common';
import { KitAuthEmailModule, LogMailer } from 'kit-auth-email';
import { NodemailerMailer } from 'kit-auth-email/nodemailer';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { MEMBER } from '../notes/note-roles.js';
import type { MailSettings } from '../settings/mail.js';

/** Addresses, forgotten passwords, login links, registration and invitations. */
export function mailModules({ smtpUrl, from }: MailSettings, url: string): DynamicModule[] {
  const mailer =
    smtpUrl === undefined
      ? new LogMailer()
      : new NodemailerMailer({ transport: smtpUrl, from, appName: 'kit-auth demo' });
  return [
    KitAuthEmailModule.forRoot({ mailer, links: linksTo(url), loginLinks: true }),
    KitAuthRegistrationModule.forRoot({ mode: 'open', roles: [MEMBER] }),
  ];
}

/** The fragments that the page understands: see `page/mails.js` and `page/login-links.js`. Browsers send them to no server. */
function linksTo(url: string) {
  return {
    reset: `${url}/#reset={token}`,
    verify: `${url}/#verify={token}`,
    register: `${url}/#register={token}`,
    invite: `${url}/#invite={token}`,
    login: `${url}/#login={token}`,
  };
}
