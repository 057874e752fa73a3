import { SettingError } from './setting-error.js';

/** How mails leave, and where their links lead. */
export interface MailSettings {
  /** Undefined: mails are printed to the log. */
  smtpUrl: string | undefined;
  from: string;
  /** The origin of the page, as users see it. Undefined: localhost, with the port. */
  url: string | undefined;
}

const DEFAULT_FROM = 'kit-auth demo <kit-auth-demo@localhost>';
const ADDRESS = /^([^<>@]*<)?[^\s<>@,;"]+@[^\s<>@,;"]+>?$/;

export function mailSettings(env: NodeJS.ProcessEnv): MailSettings {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from, KIT_DEMO_URL: url } = env;
  if (smtpUrl !== undefined && !(/^smtps?:\/\/./.test(smtpUrl) && URL.canParse(smtpUrl))) {
    throw new SettingError('SMTP_URL must begin with smtp:// or smtps:// and name a host');
  }
  if (from !== undefined && smtpUrl === undefined) {
    throw new SettingError('MAIL_FROM needs SMTP_URL: without it, mails are printed to the log');
  }
  if (from !== undefined && !ADDRESS.test(from)) {
    throw new SettingError('MAIL_FROM must be an address, or a name with one: "Demo <demo@example.com>"');
  }
  if (env['NODE_ENV'] === 'production' && (smtpUrl === undefined || url === undefined)) {
    throw new SettingError('SMTP_URL and KIT_DEMO_URL must be set in production: links must not be in a log');
  }
  return { smtpUrl, from: from ?? DEFAULT_FROM, url: origin(url) };
}

function origin(url: string | undefined): string | undefined {
  if (url === undefined) {
    return undefined;
  }
  const { protocol, hostname, origin } = URL.canParse(url) ? new URL(url) : new URL('none:');
  if (protocol !== 'https:' && !(protocol === 'http:' && hostname === 'localhost')) {
    throw new SettingError('KIT_DEMO_URL must begin with https:// (or http://localhost)');
  }
  return origin;
}
