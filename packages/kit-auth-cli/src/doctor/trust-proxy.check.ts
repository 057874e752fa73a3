import type { INestApplication } from '@nestjs/common';
import type { FoundApplication } from '../application/find-application.js';
import { entryFileOf } from '../application/entry-file.js';
import { type Finding, type Passed, warning } from './finding.js';

const MENTIONED = /\btrust proxy\b|\btrustProxy\b/;
/** `set('trust proxy', true)`, `enable('trust proxy')` or `trustProxy: true`. Minifiers write `!0` for `true`. */
const TRUSTS_ALL =
  /(['"`])trust proxy\1\s*,\s*(?:true|!0)|\benable\(\s*(['"`])trust proxy\2|\btrustProxy\b['"]?\s*:\s*(?:true|!0)/;

/**
 * Checks which address the application uses for clients. The check cannot know whether there is a proxy. Commands do
 * not run the entry file, so the check reads it as text, and cannot tell whether a line runs.
 */
export function checkTrustProxy(
  app: INestApplication,
  found: FoundApplication,
  isProduction: boolean,
): Finding[] | Passed {
  const { shown, source } = entryFileOf(found);
  const set = settingOf(app);
  const example =
    app.getHttpAdapter().getType() === 'fastify'
      ? 'new FastifyAdapter({ trustProxy: 1 })'
      : "app.set('trust proxy', 1)";
  if (set === true || TRUSTS_ALL.test(source ?? '')) {
    return [
      warning(
        `${set === true ? 'The application trusts' : `${shown} may set the application to trust`} every proxy: where no proxy replaces X-Forwarded-For, clients choose the ` +
          'address under which the login throttle counts them.',
        `Trust only your own proxies, by their number or their addresses, such as ${example}.`,
      ),
    ];
  }
  if (set !== undefined && set !== false) {
    return [];
  }
  if (MENTIONED.test(source ?? '')) {
    return { note: `${shown} may set it: doctor reads this file, and does not run it` };
  }
  const unread = source === undefined ? `; doctor did not find ${shown} to read` : '';
  if (!isProduction) {
    return { note: `not set, which is right without a reverse proxy${unread}` };
  }
  return [
    warning(
      `The application trusts no proxy, as far as doctor can see${unread}. Behind a reverse proxy or a load balancer, all ` +
        'users share one address: a few wrong passwords then slow down the logins of all users.',
      `Behind one proxy: ${example}. Without a proxy, there is nothing to do.`,
    ),
  ];
}

/** The setting that a setup function made in Express. Fastify gets it with its adapter, in the entry file. */
function settingOf(app: INestApplication): unknown {
  const server = app.getHttpAdapter().getInstance() as { get?: (name: string) => unknown };
  return app.getHttpAdapter().getType() === 'express' ? server.get?.('trust proxy') : undefined;
}
