import { describePackage } from 'test-support';
import { sessionOptions } from './session.options.js';
import * as index from './index.js';
import * as redis from './redis.js';
import * as typeorm from './typeorm.js';

const SECRET = 'a secret of at least 32 bytes, for tests';

describePackage({
  at: import.meta.url,
  entries: { '': index, redis, typeorm },
  module: index.KitAuthSessionModule,
  isProvider: true,
  definition: sessionOptions,
  options: {},
  defaults: {
    mode: 'stateful',
    timeoutMinutes: 720,
    idleMinutes: undefined,
    maxPerUser: undefined,
    realm: undefined,
    overflow: 'end-oldest',
    store: 'database',
    userCacheSeconds: 0,
    secret: undefined,
  },
  wrong: [
    [
      {
        mode: 'stateles',
        timeoutMinutes: 525_601,
        idleMinutes: 0,
        maxPerUser: 10_001,
        overflow: 'drop',
        store: 'redis',
        realm: 'shop {production}',
        userCacheSeconds: 3601,
        secret: [SECRET, 'short'],
      },
      "kit.auth.session.mode must be 'stateful' or 'stateless'",
      'kit.auth.session.timeoutMinutes must be a whole number from 1 to 525600',
      'kit.auth.session.idleMinutes must be a whole number from 1 to 525600',
      'kit.auth.session.maxPerUser must be a whole number from 1 to 10000',
      "kit.auth.session.overflow must be 'end-oldest' or 'refuse'",
      "kit.auth.session.store must be 'database', 'memory' or a SessionStore: for Redis, " +
        "import { RedisSessionStore } from 'kit-auth-session/redis' and pass new RedisSessionStore({ url })",
      'kit.auth.session.realm must have 1 to 64 letters, digits, ".", "_" and "-", such as shop-production',
      'kit.auth.session.userCacheSeconds must be a whole number from 0 to 3600',
      'kit.auth.session.secret must be a string of at least 32 bytes, or a list of such strings',
    ],
    [
      { mode: 'stateless', idleMinutes: 5, maxPerUser: 5 },
      "kit.auth.session.secret is missing: mode 'stateless' encrypts tokens with it",
      "kit.auth.session.idleMinutes needs mode 'stateful'",
      "kit.auth.session.maxPerUser needs mode 'stateful'",
    ],
  ],
  warned: [
    [
      { mode: 'stateless', secret: SECRET, store: 'memory' },
      "kit.auth.session.store 'memory' forgets ended tokens when the process restarts, and they are valid again: " +
        "with mode 'stateless' use 'database' or a RedisSessionStore",
    ],
  ],
  environment: [
    [
      {
        KIT_AUTH_SESSION_MODE: 'stateless',
        KIT_AUTH_SESSION_TIMEOUT_MINUTES: '60',
        KIT_AUTH_SESSION_USER_CACHE_SECONDS: '10',
        KIT_AUTH_SESSION_SECRET: SECRET,
      },
      { mode: 'stateless', timeoutMinutes: 60, userCacheSeconds: 10, secret: SECRET },
    ],
    [
      {
        KIT_AUTH_SESSION_IDLE_MINUTES: '10',
        KIT_AUTH_SESSION_MAX_PER_USER: '5',
        KIT_AUTH_SESSION_OVERFLOW: 'refuse',
        KIT_AUTH_SESSION_STORE: 'memory',
        KIT_AUTH_SESSION_REALM: 'shop-production',
      },
      { idleMinutes: 10, maxPerUser: 5, overflow: 'refuse', store: 'memory', realm: 'shop-production' },
    ],
  ],
  needs: { tables: /the table auth_session is missing/, once: /session-token/ },
  requests: async (app, check) => {
    const user = await app.user();
    const [own, other] = [await app.tokenOf(user), await app.tokenOf(user)];
    const { json } = check('GET sessions', await app.call(own, 'GET', 'sessions'));
    const { id } = json.find(({ current }: { current: boolean }) => !current);
    check('DELETE sessions/{id}', await app.call(own, 'DELETE', `sessions/${id}`));
    check('DELETE sessions', await app.call(own, 'DELETE', 'sessions'));
    check('GET sessions', await app.call(other, 'GET', 'sessions'));
    const admin = await app.adminToken();
    check('GET users/{id}/sessions', await app.call(admin, 'GET', `users/${user.id}/sessions`));
    check('DELETE users/{id}/sessions', await app.call(admin, 'DELETE', `users/${user.id}/sessions`));
  },
});
