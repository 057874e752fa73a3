import { describe, expect, it } from '@jest/globals';
import { MemorySessionStore } from '../stores/memory.session-store.js';
import { type KitAuthSessionOptions, sessionOptions } from './session.options.js';

const SECRET = 'a secret of at least 32 bytes, for tests';

describe('the options of sessions', () => {
  it('have defaults', () => {
    expect(sessionOptions.resolve()).toMatchObject({
      problems: [],
      warnings: [],
      settings: {
        mode: 'stateful',
        timeoutMinutes: 720,
        idleMinutes: undefined,
        maxPerUser: undefined,
        overflow: 'end-oldest',
        store: 'database',
        userCacheSeconds: 0,
        secret: undefined,
      },
    });
  });

  it.each<KitAuthSessionOptions>([
    {
      timeoutMinutes: 1,
      idleMinutes: 525_600,
      maxPerUser: 10_000,
      overflow: 'refuse',
      userCacheSeconds: 3600,
    },
    { store: 'memory' },
    { store: new MemorySessionStore() },
    { mode: 'stateless', secret: SECRET },
    { mode: 'stateless', secret: ['\u00e9'.repeat(16), SECRET] },
    { mode: undefined, secret: SECRET },
  ])('may be %j', (options) => {
    const { problems, warnings, settings } = sessionOptions.resolve(options);
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(settings).toMatchObject(JSON.parse(JSON.stringify({ ...options, store: undefined })));
  });

  it.each<[string, unknown]>([
    ['mode', 'stateles'],
    ['timeoutMinutes', 0],
    ['timeoutMinutes', 525_601],
    ['timeoutMinutes', 1.5],
    ['idleMinutes', -1],
    ['maxPerUser', 10_001],
    ['overflow', 'drop'],
    ['store', 'redis'],
    ['store', { find: () => undefined }],
    ['userCacheSeconds', 3601],
    ['secret', 'x'.repeat(31)],
    ['secret', ' '.repeat(32)],
    ['secret', []],
    ['secret', [SECRET, 'short']],
    ['secret', '\ud800'.repeat(32)],
  ])('may not have %s %j', (key, value) => {
    const { problems, settings } = sessionOptions.resolve({ [key]: value });
    expect(problems).toEqual([expect.stringContaining(`kit.auth.session.${key} `)]);
    expect(settings).toEqual(sessionOptions.resolve().settings);
  });

  it("name RedisSessionStore when store is 'redis'", () => {
    expect(sessionOptions.resolve({ store: 'redis' as never }).problems).toEqual([
      "kit.auth.session.store must be 'database', 'memory' or a SessionStore: for Redis, " +
        "import { RedisSessionStore } from 'kit-auth-session/redis' and pass new RedisSessionStore({ url })",
    ]);
  });

  it.each<[RegExp, KitAuthSessionOptions]>([
    [/secret is missing/, {}],
    [/idleMinutes needs mode 'stateful'/, { secret: SECRET, idleMinutes: 1 }],
    [/maxPerUser needs mode 'stateful'/, { secret: SECRET, maxPerUser: 1 }],
    [
      /keepEndOfAll/,
      { secret: SECRET, store: Object.assign(new MemorySessionStore(), { keepEndOfAll: undefined }) },
    ],
  ])('of stateless sessions are refused with %s', (problem, options) => {
    const { problems } = sessionOptions.resolve({ mode: 'stateless', ...options });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(sessionOptions.resolve({ ...options, mode: 'stateful' }).problems).toEqual([]);
  });

  it.each<KitAuthSessionOptions['store']>(['memory', new MemorySessionStore()])(
    'warn that %s forgets which stateless sessions were ended',
    (store) => {
      const { warnings } = sessionOptions.resolve({ mode: 'stateless', secret: SECRET, store });
      expect(warnings).toEqual([expect.stringContaining('forgets ended tokens')]);
    },
  );
});
