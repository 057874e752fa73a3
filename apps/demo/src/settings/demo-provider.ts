import type { MailSettings } from './mail.js';
import { SettingError } from './setting-error.js';

/** Where the demo provider listens. */
export interface DemoProviderSettings {
  /** Undefined: the next free port after that of the demo. */
  port: number | undefined;
}

const OWN_HOSTS = ['127.0.0.1', 'localhost', '::1'];

/**
 * The demo provider lets everybody in under any name, so it runs only where nobody else can reach it: on localhost, without
 * TLS, and never in production. Undefined: it does not run.
 */
export function demoProviderSettings(
  env: NodeJS.ProcessEnv,
  host: string,
  { url = 'http://localhost' }: MailSettings,
): DemoProviderSettings | undefined {
  const { KIT_DEMO_OIDC_PORT: port } = env;
  const isOwn = env['NODE_ENV'] !== 'production' && url.startsWith('http:') && OWN_HOSTS.includes(host);
  if (port === undefined || port === 'off') {
    return isOwn && port === undefined ? { port: undefined } : undefined;
  }
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new SettingError(
      `KIT_DEMO_OIDC_PORT must be off, or a whole number from 1 to 65535, not "${port}"`,
    );
  }
  if (!isOwn) {
    throw new SettingError('KIT_DEMO_OIDC_PORT must be off, except on localhost without TLS');
  }
  return { port: Number(port) };
}
