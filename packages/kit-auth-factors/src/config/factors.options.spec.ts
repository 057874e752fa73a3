import { describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from 'kit-auth';
import { factorsOptions } from './factors.options.js';

const KEY = 'k'.repeat(32);

describe('the options', () => {
  it('need a key and an issuer, and nothing else', () => {
    const { settings, problems } = factorsOptions.resolve({ keys: [KEY], issuer: 'App' });
    expect(problems).toEqual([]);
    expect(settings).toEqual({ keys: [KEY], issuer: 'App', requiredFor: [], totp: { window: 1 } });
  });

  it.each([[{}], [{ keys: [] }]])('say what is missing in %j', (given) => {
    expect(factorsOptions.resolve(given).problems).toEqual([
      'kit.auth.factors.keys is missing: at least one secret of 32 bytes or more, such as the output of npx kit-auth secret',
      'kit.auth.factors.issuer is missing: the name of your application, which authenticator apps show',
    ]);
  });

  it('say what is wrong, without the value', () => {
    const given = { keys: [KEY, 'too-short'], issuer: 'A:B', requiredFor: [' '], totp: { window: 3 } };
    const { problems } = factorsOptions.resolve(given);
    expect(problems).toEqual([
      'kit.auth.factors.keys must have at least 32 bytes of UTF-8 in each string: number 2 does not',
      'kit.auth.factors.issuer must not contain colons or control characters',
      'kit.auth.factors.requiredFor must be a list of role codes',
      'kit.auth.factors.totp.window must be a whole number from 0 to 2',
    ]);
    expect(problems.join()).not.toContain('too-short');
  });

  it.each<[unknown, string]>([
    [KEY, 'must be a list of strings'],
    [[32], 'must be a list of strings: number 1 is not a string'],
    [[KEY, undefined], 'must be a list of strings: number 2 is undefined'],
    [[`${'k'.repeat(32)}\ud800`], 'must have at least 32 bytes of UTF-8 in each string: number 1 does not'],
    [[KEY, KEY], 'must not contain a secret twice'],
  ])('refuse the keys %j', (keys, problem) => {
    expect(factorsOptions.resolve({ keys, issuer: 'App' }).problems).toEqual([
      `kit.auth.factors.keys ${problem}`,
    ]);
  });

  it('count the bytes of keys, not the characters', () => {
    expect(factorsOptions.resolve({ keys: ['é'.repeat(16)], issuer: 'App' }).problems).toEqual([]);
  });

  it('can come from the environment', () => {
    const variables = {
      KIT_AUTH_FACTORS_KEYS: `${KEY}, ${'o'.repeat(40)}`,
      KIT_AUTH_FACTORS_ISSUER: 'App',
      KIT_AUTH_FACTORS_REQUIRED_FOR: 'admin,auditor',
      KIT_AUTH_FACTORS_TOTP_WINDOW: '0',
    };
    Object.assign(process.env, variables);
    try {
      const { factors } = kitAuthConfig() as { factors?: object };
      expect(factorsOptions.resolve(factors)).toMatchObject({
        problems: [],
        settings: {
          keys: [KEY, 'o'.repeat(40)],
          issuer: 'App',
          requiredFor: ['admin', 'auditor'],
          totp: { window: 0 },
        },
      });
    } finally {
      Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  });
});
