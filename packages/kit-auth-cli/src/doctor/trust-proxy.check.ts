import type { INestApplication } from '@nestjs/common';
import { type EntryFile, entryFileOf } from '../application/entry-file.js';
import type { FoundApplication } from '../application/find-application.js';
import { type Finding, type Passed, warning } from './diagnosis.js';
import { isInRange } from './installation.checks.js';

const MENTIONED = /\btrust proxy\b|\btrustProxy\b/;
/** `set('trust proxy', true)`, `enable('trust proxy')` or `trustProxy: true`. Minifiers write `!0` for `true`. */
const TRUSTS_ALL =
  /(['"`])trust proxy\1\s*,\s*(?:true|!0)|\benable\(\s*(['"`])trust proxy\2|\btrustProxy\b['"]?\s*:\s*(?:true|!0)/;
/** `trustProxy: 1` or `trustProxy: Number(process.env.PROXIES)`. */
const COUNTS_PROXIES = /\btrustProxy\b['"]?\s*:\s*(?:[1-9]|(?:Number|parseInt)\()/;
/** Versions of Fastify in which a number of proxies trusts none. */
const IGNORES_NUMBERS = '>=5.12.1';

/**
 * Checks which address the application uses for clients. The check cannot know whether there is a proxy. Commands do
 * not run the entry file, so the check reads it as text, and cannot tell whether a line runs.
 */
export function checkTrustProxy(
  app: INestApplication,
  found: FoundApplication,
  isProduction: boolean,
): Finding[] | Passed {
  const { shown = 'main.js', source = '' } = entryFileOf(found) ?? {};
  const { set, fastify, example } = serverOf(app);
  const unsafe = unsafeSettingIn({ shown, source }, set, fastify, example);
  if (unsafe !== undefined) {
    return [unsafe];
  }
  if (set !== undefined && set !== false) {
    return [];
  }
  if (MENTIONED.test(source)) {
    return { note: `${shown} may set it: doctor searches this file, and does not run it` };
  }
  if (!isProduction) {
    return { note: 'not set, which is right without a reverse proxy' };
  }
  return [
    warning(
      'The application trusts no proxy, as far as doctor can see. Behind a reverse proxy or a load balancer, all ' +
        'users share one address: a few wrong passwords then slow down the logins of all users.',
      `Behind one proxy: ${example}. Without a proxy, there is nothing to do.`,
    ),
  ];
}

function unsafeSettingIn(
  { shown, source }: EntryFile,
  set: unknown,
  fastify: string | undefined,
  example: string,
): Finding | undefined {
  if (set === true || TRUSTS_ALL.test(source)) {
    return warning(
      `${set === true ? 'The application trusts' : `${shown} may set the application to trust`} every proxy: where no proxy replaces X-Forwarded-For, clients choose the ` +
        'address under which the login throttle counts them.',
      `Trust only your own proxies, such as ${example}.`,
    );
  }
  if (fastify !== undefined && isInRange(fastify, IGNORES_NUMBERS) === true && COUNTS_PROXIES.test(source)) {
    return warning(
      `${shown} may set trustProxy to a number, which Fastify ${fastify} ignores: all users share the address of the proxy.`,
      `Name the addresses of your proxies, such as ${example}. For one proxy at any address: trustProxy: (address, hop) => hop < 1.`,
    );
  }
  return undefined;
}

interface Server {
  /** The setting that a setup function made in Express. Fastify gets it with its adapter, in the entry file. */
  readonly set?: unknown;
  /** The version of Fastify. Undefined on Express. */
  readonly fastify?: string;
  /** Trusts one proxy. */
  readonly example: string;
}

function serverOf(app: INestApplication): Server {
  const adapter = app.getHttpAdapter();
  const server = adapter.getInstance() as { get?: (name: string) => unknown; version?: string };
  return adapter.getType() === 'fastify'
    ? {
        ...(server.version === undefined ? {} : { fastify: server.version }),
        example: "new FastifyAdapter({ trustProxy: 'loopback' })",
      }
    : { set: server.get?.('trust proxy'), example: "app.set('trust proxy', 1)" };
}
