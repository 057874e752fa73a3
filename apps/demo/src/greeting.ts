import type { KitAuthSettings } from 'kit-auth';
import type { AdministratorPassword } from './administrator.js';
import type { MailSettings } from './settings/mail.js';

const JSON_TYPE = `-H 'Content-Type: application/json'`;

/** Where the demo is. */
export interface Places {
  /** That of the API. */
  url: string;
  /** That of the page. Passkeys and providers work only there. */
  pageUrl: string;
  /** That of the demo provider, if it runs. */
  providerUrl: string | undefined;
}

/** The next steps for a newcomer: the address, the logins, and commands for a POSIX shell. */
export function greeting(
  { url, pageUrl, providerUrl }: Places,
  settings: KitAuthSettings,
  password: AdministratorPassword,
  mail: MailSettings,
): string {
  const [who, commands] = settings.enabled
    ? [
        `${administrator(settings, password)}\n  ${mails(mail)}${logins(providerUrl)}`,
        authenticated(url, settings, password),
      ]
    : ['KIT_AUTH_ENABLED is false: there is no login, and no path is protected', open(url)];
  return `
  Listening on ${url}, API documentation at ${url}/docs, a web page with a login at ${pageUrl}/
  ${who}

${commands}
`;
}

function mails({ smtpUrl }: MailSettings): string {
  return smtpUrl === undefined
    ? 'Mails are printed here: register at the page, and open the link'
    : `Mails leave through ${new URL(smtpUrl).host}`;
}

function logins(providerUrl: string | undefined): string {
  return providerUrl === undefined
    ? ''
    : `\n  The page also logs in with a provider for trying, at ${providerUrl}`;
}

function administrator(
  { defaultAdminUsername, defaultAdminPassword }: KitAuthSettings,
  password: AdministratorPassword,
): string {
  switch (password) {
    case 'built-in':
      return `Administrator: ${defaultAdminUsername}, password: ${defaultAdminPassword}`;
    case 'environment':
      return `Administrator: ${defaultAdminUsername}, password: as set in KIT_AUTH_DEFAULT_ADMIN_PASSWORD`;
    case 'changed':
      return 'Administrator: changed since the first start; set ADMIN and PASSWORD before you paste';
  }
}

function authenticated(url: string, settings: KitAuthSettings, password: AdministratorPassword): string {
  const header = `-H ${quote(`${settings.tokenHeader}: ${settings.tokenPrefix}`)}"\${TOKEN:?log in first}"`;
  // An answer without a token leaves TOKEN empty, and the next commands say so.
  const token = `sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p'`;
  return `TOKEN=$(${login(`${url}/v1/api/auth/login`, settings, password)} | ${token})
curl -s ${url}/v1/notes ${header} ${JSON_TYPE} -d '{"title":"First","text":"Written by curl"}'
curl -s ${url}/v1/notes ${header}`;
}

function open(url: string): string {
  return `curl -s ${url}/v1/notes/published`;
}

/** A configured password is not printed. The shell inserts it, or reports that it is unset. */
function login(
  url: string,
  { defaultAdminUsername: username, defaultAdminPassword }: KitAuthSettings,
  password: AdministratorPassword,
): string {
  switch (password) {
    case 'built-in': {
      const body = JSON.stringify({ username, password: defaultAdminPassword });
      return `curl -s ${url} ${JSON_TYPE} -d ${quote(body)}`;
    }
    case 'environment':
      return loginWith(url, quote(username), '"${KIT_AUTH_DEFAULT_ADMIN_PASSWORD:?export it first}"');
    case 'changed':
      return loginWith(url, '"${ADMIN:?set it to a name}"', '"${PASSWORD:?set it to a password}"');
  }
}

/**
 * Node writes the JSON, for any characters. The password is in its environment, because other users can see arguments.
 */
function loginWith(url: string, username: string, password: string): string {
  const body = 'JSON.stringify({ username: process.env.ADMIN, password: process.env.PASSWORD })';
  return `ADMIN=${username} PASSWORD=${password} node -p '${body}' | curl -s ${url} ${JSON_TYPE} -d @-`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
