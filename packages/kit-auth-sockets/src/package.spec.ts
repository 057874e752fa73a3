import { describePackage } from 'test-support';
import { socketsOptions } from './sockets.options.js';
import * as index from './index.js';
import * as postgres from './postgres.js';
import * as redis from './redis.js';

const PLACES = "kit.auth.sockets.from must be a list of 'header', 'cookie', 'auth', 'message'";

describePackage({
  at: import.meta.url,
  entries: { '': index, postgres, redis },
  module: index.KitAuthSocketsModule,
  definition: socketsOptions,
  options: {},
  defaults: {
    gateways: 'protected',
    from: ['header', 'cookie', 'auth'],
    firstMessageMs: 5000,
    recheckSeconds: 30,
    maxPerUser: 100,
    maxWaiting: 1000,
    keepAfterToken: true,
  },
  wrong: [
    [
      {
        gateways: 'none',
        from: ['query'],
        firstMessageMs: 99,
        recheckSeconds: 4,
        maxPerUser: 0,
        maxWaiting: 1_000_001,
        keepAfterToken: 'yes',
      },
      "kit.auth.sockets.gateways must be 'protected' or 'decorated'",
      PLACES,
      'kit.auth.sockets.firstMessageMs must be a whole number from 100 to 60000',
      'kit.auth.sockets.recheckSeconds must be a whole number from 5 to 300',
      'kit.auth.sockets.maxPerUser must be a whole number from 1 to 1000000',
      'kit.auth.sockets.maxWaiting must be a whole number from 1 to 1000000',
      'kit.auth.sockets.keepAfterToken must be the boolean true or false',
    ],
    ...[[], 'header', [1], ['header', 'query']].map((from) => [{ from }, PLACES] as const),
  ],
  environment: [
    [
      {
        KIT_AUTH_SOCKETS_GATEWAYS: 'decorated',
        KIT_AUTH_SOCKETS_FROM: 'header, message',
        KIT_AUTH_SOCKETS_FIRST_MESSAGE_MS: '100',
        KIT_AUTH_SOCKETS_RECHECK_SECONDS: '5',
        KIT_AUTH_SOCKETS_MAX_PER_USER: '1',
        KIT_AUTH_SOCKETS_MAX_WAITING: '2',
        KIT_AUTH_SOCKETS_KEEP_AFTER_TOKEN: 'false',
      },
      {
        gateways: 'decorated',
        from: ['header', 'message'],
        firstMessageMs: 100,
        recheckSeconds: 5,
        maxPerUser: 1,
        maxWaiting: 2,
        keepAfterToken: false,
      },
    ],
  ],
  needs: { once: /There is more than one AuthMessages for ws/ },
});
