import type { INestApplication } from '@nestjs/common';
import { entryFileOf } from '../application/entry-file.js';
import type { FoundApplication } from '../application/find-application.js';
import { type Finding, type Passed, warning } from './diagnosis.js';

/**
 * Checks which address the application uses for clients. In Express, this is known if a setup function sets it. Fastify
 * gets it with its adapter, in the entry file, which commands do not run. A proxy cannot be detected.
 */
export function checkTrustProxy(
  app: INestApplication,
  found: FoundApplication,
  isProduction: boolean,
): Finding[] | Passed {
  const adapter = app.getHttpAdapter();
  const isFastify = adapter.getType() === 'fastify';
  const example = isFastify ? "new FastifyAdapter({ trustProxy: 'loopback' })" : "app.set('trust proxy', 1)";
  const express = adapter.getInstance() as { get?: (name: string) => unknown };
  const set = isFastify ? undefined : express.get?.('trust proxy');
  if (set === true) {
    return [
      warning(
        'The application trusts every proxy: where no proxy replaces X-Forwarded-For, clients choose the address under ' +
          'which the login throttle counts them.',
        `Trust only your own proxies, such as ${example}.`,
      ),
    ];
  }
  if (set !== undefined && set !== false) {
    return [];
  }
  const { shown, source = '' } = entryFileOf(found) ?? {};
  if (source.includes('trust proxy') || source.includes('trustProxy')) {
    return { note: `${shown} may set it: doctor searches this file, and does not run it` };
  }
  if (!isProduction) {
    return { note: 'not set, which is right without a reverse proxy' };
  }
  return [
    warning(
      'The application trusts no proxy, as far as doctor can see. Behind a reverse proxy or a load balancer, all users ' +
        'share one address: a few wrong passwords then slow down the logins of all users.',
      `Behind one proxy: ${example}. Without a proxy, there is nothing to do.`,
    ),
  ];
}
