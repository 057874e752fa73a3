import { describe, expect, it } from '@jest/globals';
import { MemorySessionStore } from './stores/memory.session-store.js';
import { type KitAuthSessionOptions, sessionOptions } from './session.options.js';

const SECRET = 'a secret of at least 32 bytes, for tests';

describe('the options of sessions', () => {
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

  // `package.spec.ts` has the other options.
  it.each([['x'.repeat(31)], [' '.repeat(32)], [[]], ['\u20ac'.repeat(10)], ['\ud800'.repeat(32)]])(
    'may not have the secret %j',
    (secret) => {
      const { problems, settings } = sessionOptions.resolve({ secret });
      expect(problems).toEqual([expect.stringContaining('kit.auth.session.secret must be')]);
      expect(settings).toEqual(sessionOptions.resolve().settings);
    },
  );

  it.each<[RegExp, KitAuthSessionOptions]>([
    [/secret is missing/, {}],
    [
      /keepEndOfAll/,
      { secret: SECRET, store: Object.assign(new MemorySessionStore(), { keepEndOfAll: undefined }) },
    ],
  ])('of stateless sessions are refused with %s', (problem, options) => {
    const { problems } = sessionOptions.resolve({ mode: 'stateless', ...options });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(sessionOptions.resolve({ ...options, mode: 'stateful' }).problems).toEqual([]);
  });

  it('warn that a MemorySessionStore forgets which stateless sessions were ended', () => {
    const store = new MemorySessionStore();
    const { warnings } = sessionOptions.resolve({ mode: 'stateless', secret: SECRET, store });
    expect(warnings).toEqual([expect.stringContaining('forgets ended tokens')]);
  });
});
