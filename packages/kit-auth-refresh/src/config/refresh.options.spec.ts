import { describe, expect, it } from '@jest/globals';
import { type KitAuthRefreshOptions, refreshOptions } from './refresh.options.js';

describe('the options of refresh tokens', () => {
  it('have defaults', () => {
    expect(refreshOptions.resolve()).toMatchObject({
      problems: [],
      warnings: [],
      settings: {
        accessMinutes: 10,
        lifetimeDays: 30,
        idleDays: 7,
        graceSeconds: 30,
        graceFor: 'address',
        checkSeconds: 5,
        maxPerUser: undefined,
        overflow: 'end-oldest',
      },
    });
  });

  it.each<KitAuthRefreshOptions>([
    { accessMinutes: 1, lifetimeDays: 1, idleDays: 1, graceSeconds: 0, checkSeconds: 0, maxPerUser: 1 },
    { accessMinutes: 60, lifetimeDays: 365, idleDays: 365, graceSeconds: 300, checkSeconds: 3600 },
    { graceFor: 'anyone', checkSeconds: false, maxPerUser: 10_000, overflow: 'refuse' },
  ])('may be %j', (options) => {
    const { problems, settings } = refreshOptions.resolve(options);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject(options);
  });

  it.each<[string, unknown]>([
    ['accessMinutes', 0],
    ['accessMinutes', 61],
    ['lifetimeDays', 0],
    ['lifetimeDays', 366],
    ['idleDays', 1.5],
    ['graceSeconds', -1],
    ['graceSeconds', 301],
    ['graceFor', 'everyone'],
    ['checkSeconds', true],
    ['checkSeconds', 3601],
    ['checkSeconds', '5'],
    ['maxPerUser', 0],
    ['overflow', 'drop'],
  ])('may not have %s %j', (key, value) => {
    const { problems, settings } = refreshOptions.resolve({ [key]: value });
    expect(problems).toEqual([expect.stringContaining(`kit.auth.refresh.${key} `)]);
    expect(settings).toEqual(refreshOptions.resolve().settings);
  });

  it.each([
    ['false', false],
    ['0', 0],
    ['60', 60],
    ['off', 'off'],
  ])('read KIT_AUTH_REFRESH_CHECK_SECONDS=%s as %j', (text, value) => {
    expect(refreshOptions.shape.checkSeconds.rules.parse?.(text)).toBe(value);
  });
});
