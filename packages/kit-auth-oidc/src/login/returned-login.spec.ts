import { describe, expect, it } from '@jest/globals';
import type { OidcProvider } from '../contract/provider.options.js';
import { oidcOptions } from '../config/oidc.options.js';
import { Providers } from '../config/providers.js';
import { returnedLoginOf } from './returned-login.js';

const TIME = 1_800_000_000;

function factorsOf(
  { secondFactor, ...more }: Partial<OidcProvider> & { secondFactor: 'ask' | 'trust' },
  authTime: number | undefined,
  methods: string[],
) {
  const given = { name: 'test', issuer: 'https://login.example.com', clientId: 'a', clientSecret: 'b' };
  const resolved = oidcOptions.resolve({
    providers: [{ ...given, mfa: ['mfa', 'https://acr.example/mfa'], ...more }],
    redirectBase: 'https://api.example.com',
    returnTo: ['https://api.example.com'],
    secondFactor,
  });
  const identity = { provider: 'test', issuer: given.issuer, subject: 'ada' };
  const external = { identity, authTime, sub: 'ada', sid: 'one', methods } as never;
  const { factors, ...rest } = returnedLoginOf(new Providers(resolved).get('test'), external, 4711);
  expect(rest).toEqual({ ...identity, sub: 'ada', sid: 'one', askedAt: 4711 });
  return factors;
}

describe('the proof of a login with a provider', () => {
  it.each<[string, Parameters<typeof factorsOf>, object]>([
    ['says when the user was asked', [{ secondFactor: 'ask' }, TIME, []], { oidc: TIME }],
    ['is never fresh if the provider does not say so', [{ secondFactor: 'ask' }, undefined, []], { oidc: 0 }],
    [
      'is never fresh if the provider does not ask its user again',
      [{ secondFactor: 'ask', fresh: false }, TIME, []],
      { oidc: 0 },
    ],
    [
      'has the second factor of a trusted provider, as amr',
      [{ secondFactor: 'trust' }, TIME, ['pwd', 'mfa']],
      { oidc: TIME, mfa: TIME },
    ],
    [
      'has the second factor of a trusted provider, as acr',
      [{ secondFactor: 'trust' }, TIME, ['https://acr.example/mfa']],
      { oidc: TIME, mfa: TIME },
    ],
    [
      'has a second factor that is never fresh, too',
      [{ secondFactor: 'trust' }, undefined, ['mfa']],
      { oidc: 0, mfa: 0 },
    ],
    [
      'has no second factor of another method',
      [{ secondFactor: 'trust' }, TIME, ['pwd', '1']],
      { oidc: TIME },
    ],
    ['has no second factor of other providers', [{ secondFactor: 'ask' }, TIME, ['mfa']], { oidc: TIME }],
    [
      'has no second factor of a provider that names none',
      [{ secondFactor: 'trust', mfa: undefined }, TIME, ['mfa']],
      { oidc: TIME },
    ],
  ])('%s', (_what, given, factors) => {
    expect(factorsOf(...given)).toEqual(factors);
  });
});
