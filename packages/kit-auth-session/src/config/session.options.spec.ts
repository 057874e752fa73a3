import { describe, expect, it } from '@jest/globals';
import { MemorySessionStore } from '../stores/memory.session-store.js';
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

  it.each<[string, readonly unknown[]]>([
    ['mode', ['sealed', null, 1]],
    ['timeoutMinutes', [0, -1, 1.5, '720', null, Number.NaN, Infinity, 1e9]],
    ['idleMinutes', [-1, 0, '5', null]],
    ['maxPerUser', [0, -1, 1.5, '2', 1e6]],
    ['overflow', [null, true]],
    ['store', [null, {}, { find: () => undefined }, () => undefined, 1]],
    ['userCacheSeconds', [-1, 1.5, '1']],
    ['secret', ['x'.repeat(31), ' '.repeat(32), '', 1, [], null, '\u20ac'.repeat(10), '\ud800'.repeat(32)]],
  ])('may not have %s %j', (key, values) => {
    for (const value of values) {
      const { problems, settings } = sessionOptions.resolve({ [key]: value });
      expect(problems).toEqual([expect.stringContaining(`kit.auth.session.${key} must be`)]);
      expect(settings).toEqual(sessionOptions.resolve().settings);
    }
  });

  it('are warned of where they are unknown', () => {
    const { warnings } = sessionOptions.resolve({ timeout: 5 });
    expect(warnings).toEqual([expect.stringContaining('timeout is not an option')]);
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

  it('warn that a MemorySessionStore forgets which stateless sessions were ended', () => {
    const store = new MemorySessionStore();
    const { warnings } = sessionOptions.resolve({ mode: 'stateless', secret: SECRET, store });
    expect(warnings).toEqual([expect.stringContaining('forgets ended tokens')]);
  });
});
