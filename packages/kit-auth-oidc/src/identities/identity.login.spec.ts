import { describe, expect, it } from '@jest/globals';
import type { OidcProvider } from '../providers/provider.options.js';
import { oidcOptions } from '../oidc.options.js';
import { Providers } from '../providers/providers.js';
import { providerLoginOf } from './identity.login.js';

const TIME = 1_800_000_000;
const BOTH = { oidc: TIME, mfa: TIME };

function factorsOf(
  secondFactor: 'ask' | 'trust',
  authTime: number | undefined,
  methods: string[],
  more: Partial<OidcProvider> = {},
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
  const { factors, ...rest } = providerLoginOf(new Providers(resolved).get('test'), external, 4711);
  expect(rest).toEqual({ ...identity, sub: 'ada', sid: 'one', askedAt: 4711 });
  return factors;
}

describe('the proof of a login with a provider', () => {
  it.each<[string, 'ask' | 'trust', number | undefined, string[], object, Partial<OidcProvider>?]>([
    ['says when the user was asked', 'ask', TIME, [], { oidc: TIME }],
    ['is never fresh if the provider does not say so', 'ask', undefined, [], { oidc: 0 }],
    ['is never fresh if the provider does not ask again', 'ask', TIME, [], { oidc: 0 }, { fresh: false }],
    ['has the second factor of a trusted provider, as amr', 'trust', TIME, ['pwd', 'mfa'], BOTH],
    ['has the second factor of a trusted provider, as acr', 'trust', TIME, ['https://acr.example/mfa'], BOTH],
    ['has a second factor that is never fresh, too', 'trust', undefined, ['mfa'], { oidc: 0, mfa: 0 }],
    ['has no second factor of another method', 'trust', TIME, ['pwd', '1'], { oidc: TIME }],
    ['has no second factor of other providers', 'ask', TIME, ['mfa'], { oidc: TIME }],
    ['has none of a provider that names none', 'trust', TIME, ['mfa'], { oidc: TIME }, { mfa: undefined }],
  ])('%s', (_what, secondFactor, authTime, methods, factors, more = {}) => {
    expect(factorsOf(secondFactor, authTime, methods, more)).toEqual(factors);
  });
});
