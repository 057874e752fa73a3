import { describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from 'kit-auth';
import { keysOptions } from './keys.options.js';

describe('the options', () => {
  it('have defaults', () => {
    const { settings, problems, warnings } = keysOptions.resolve({});
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(settings).toEqual({ defaultDays: 90, maxDays: 365, maxPerUser: 50, cacheSeconds: 0 });
  });

  it('say what is wrong', () => {
    const given = { defaultDays: 0, maxDays: 366, maxPerUser: 0, cacheSeconds: 301 };
    expect(keysOptions.resolve(given).problems).toEqual([
      'kit.auth.keys.defaultDays must be a whole number from 1 to 365',
      "kit.auth.keys.maxDays must be a whole number from 1 to 365, or 'unlimited'",
      'kit.auth.keys.maxPerUser must be a whole number from 1 to 10000',
      'kit.auth.keys.cacheSeconds must be a whole number from 0 to 300',
    ]);
  });

  it.each([
    [{ maxDays: 30 }, 90],
    [{ defaultDays: 60, maxDays: 30 }, 60],
  ])('refuse a default lifetime above the longest: %j', (given, days) => {
    expect(keysOptions.resolve(given).problems).toEqual([
      `kit.auth.keys.defaultDays must be at most maxDays (30). It is ${days}: set it, too`,
    ]);
  });

  it('warn of keys that never end', () => {
    const { settings, problems, warnings } = keysOptions.resolve({ maxDays: 'unlimited' });
    expect(problems).toEqual([]);
    expect(settings.maxDays).toBe('unlimited');
    expect(warnings).toEqual([
      "kit.auth.keys.maxDays is 'unlimited': KEYS MAY NEVER END, so a leaked key works until it is deleted",
    ]);
  });

  it.each<[string, unknown]>([
    ['30', 30],
    ['unlimited', 'unlimited'],
  ])('can come from the environment: maxDays %s', (text, maxDays) => {
    const variables = {
      KIT_AUTH_KEYS_DEFAULT_DAYS: '7',
      KIT_AUTH_KEYS_MAX_DAYS: text,
      KIT_AUTH_KEYS_MAX_PER_USER: '5',
      KIT_AUTH_KEYS_CACHE_SECONDS: '10',
    };
    Object.assign(process.env, variables);
    try {
      const { keys } = kitAuthConfig() as { keys?: object };
      expect(keysOptions.resolve(keys)).toMatchObject({
        problems: [],
        settings: { defaultDays: 7, maxDays, maxPerUser: 5, cacheSeconds: 10 },
      });
    } finally {
      Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  });
});
