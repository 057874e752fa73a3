import type { INestApplication } from '@nestjs/common';
import type { FoundApplication } from '../application/find-application.js';
import { mainSource } from '../application/main-file.js';
import { type Finding, type Passed, warning } from './finding.js';

const MENTIONED = /\btrust proxy\b|\btrustProxy\b/;
/** `set('trust proxy', true)`, `enable('trust proxy')` or `trustProxy: true`. Minifiers write `!0` for `true`. */
const TRUSTS_ALL =
  /(['"`])trust proxy\1\s*,\s*(?:true|!0)|\benable\(\s*(['"`])trust proxy\2|\btrustProxy\b['"]?\s*:\s*(?:true|!0)/;

/**
 * Looks at which address the application takes for that of a client. Nobody can see from here whether there is a proxy.
 * What `main.js` sets is read in its text, because commands do not run it.
 */
export function checkTrustProxy(
  app: INestApplication,
  found: FoundApplication,
  isProduction: boolean,
): Finding[] | Passed {
  const source = mainSource(found) ?? '';
  const set = settingOf(app);
  const example =
    app.getHttpAdapter().getType() === 'fastify'
      ? 'new FastifyAdapter({ trustProxy: 1 })'
      : "app.set('trust proxy', 1)";
  if (set === true || TRUSTS_ALL.test(source)) {
    return [
      warning(
        'The application trusts every proxy: where no proxy replaces X-Forwarded-For, clients choose the address under ' +
          'which the login throttle counts them.',
        `Trust only your own proxies, by their number or their addresses, such as ${example}.`,
      ),
    ];
  }
  if ((set !== undefined && set !== false) || MENTIONED.test(source)) {
    return [];
  }
  if (!isProduction) {
    return { note: 'not set, which is right without a reverse proxy' };
  }
  return [
    warning(
      'The application trusts no proxy, as far as doctor can see. Behind a reverse proxy or a load balancer, all users ' +
        'share one address: a few wrong passwords then slow down the login of everybody.',
      `Behind one proxy: ${example}. Without a proxy, there is nothing to do.`,
    ),
  ];
}

/** What a setup function set in Express. Fastify takes it where the adapter is created, which is in `main.js`. */
function settingOf(app: INestApplication): unknown {
  const server = app.getHttpAdapter().getInstance() as { get?: (name: string) => unknown };
  return app.getHttpAdapter().getType() === 'express' ? server.get?.('trust proxy') : undefined;
}
