import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OidcProvider } from 'kit-auth-oidc';
import { SettingError } from '../settings/setting-error.js';
import type { Settings } from '../settings/settings.js';
import { BACK_CHANNEL, CALLBACK, CLIENT_ID, providerAt } from './provider-options.js';

const SCRIPT = fileURLToPath(new URL('../../provider/provider.js', import.meta.url));
/** How many ports after that of the demo are tried. */
const NEXT_PORTS = 20;
const LAST_PORT = 65_535;

type Answer = { port: number } | { problem: string };

/**
 * Starts the demo provider in a process of its own, which ends when this process does.
 *
 * @param url the URL of the page
 * @param port the port of the demo
 * @returns undefined if the settings turn it off
 */
export async function startProvider(
  settings: Settings,
  url: string,
  port: number,
): Promise<OidcProvider | undefined> {
  if (settings.demoProvider === undefined) {
    return undefined;
  }
  const secret = randomBytes(32).toString('base64url');
  // Its output has warnings about what only matters in production. Options of this process are not for it.
  const child = fork(SCRIPT, { silent: true, execArgv: [] });
  const client = {
    client_id: CLIENT_ID,
    client_secret: secret,
    redirect_uris: [`${url}${CALLBACK}`],
    post_logout_redirect_uris: [`${url}/`],
    backchannel_logout_uri: `${url}${BACK_CHANNEL}`,
    backchannel_logout_session_required: true,
    require_auth_time: true,
  };
  child.send({ client, ports: portsFor(settings, port) });
  child.stdout?.resume();
  child.stderr?.resume();
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => [{ problem: 'it has ended' }]),
  ])) as [Answer];
  if ('problem' in answer) {
    child.disconnect();
    throw new SettingError(
      answer.problem === 'EADDRINUSE'
        ? 'the port of the demo provider is in use; set KIT_DEMO_OIDC_PORT to another, or to off'
        : `the demo provider cannot start (${answer.problem}); set KIT_DEMO_OIDC_PORT to off`,
    );
  }
  child.unref();
  child.channel?.unref();
  return providerAt(`http://localhost:${answer.port}`, secret);
}

function portsFor({ demoProvider, port: wanted }: Settings, port: number): number[] {
  if (demoProvider?.port !== undefined) {
    return [demoProvider.port];
  }
  // PORT=0 asks for any free port.
  return wanted === 0
    ? [0]
    : Array.from({ length: NEXT_PORTS }, (_, i) => port + 1 + i).filter((next) => next <= LAST_PORT);
}
