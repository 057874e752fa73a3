import { describe, expect, it } from '@jest/globals';
import { loginUser } from 'test-support';
import type { Factor } from '../contract/factor.js';
import type { LoginProof } from '../contract/login-proof.js';
import { Factors, type OwnedFactor } from './factors.js';
import type { Ports } from './ports.js';

const USER = loginUser({ roles: ['reader', 'clerk'] });
const OTHER = loginUser({ roles: ['reader'] });

type Members = Partial<Factor> & { readonly owned?: readonly string[] };

function factor(name: string, { owned = [name], ...members }: Members = {}): Factor {
  return { names: [name], confirms: [name], has: () => owned, verify: async () => 'right', ...members };
}

const factorsOf = (...factors: Factor[]) => new Factors({ factors } as Partial<Ports> as Ports);

const codes = factor('totp', { names: ['totp', 'recovery'], owned: ['totp', 'recovery'] });
const password = factor('password', { second: 'no' });
const passkey = factor('passkey', { second: 'offered' });
const provider = factor('oidc', { second: 'elsewhere' });
const required = factor('pager', { owned: [], isRequiredFor: ({ roles }) => roles.includes('clerk') });

describe('a login', () => {
  it('asks for the second factors that a user has', () => {
    const asked = factorsOf(password, codes, factor('pager', { owned: [] })).askedOf(USER);
    expect(asked).toEqual([{ factor: codes, names: ['totp', 'recovery'] }]);
  });

  it('offers others beside them only', () => {
    const names = (...factors: Factor[]) =>
      (factorsOf(...factors).askedOf(USER) as readonly OwnedFactor[]).flatMap((asked) => asked.names);
    expect(names(passkey, codes)).toEqual(['passkey', 'totp', 'recovery']);
    expect(names(passkey, provider)).toEqual([]);
  });

  it('can be confirmed with others, too', () => {
    const mail = factor('email', { second: 'no', begin: async () => undefined });
    const factors = factorsOf(
      password,
      codes,
      mail,
      factor('oidc', { second: 'no', verify: undefined } as never),
    );
    const confirming = ['password', 'totp', 'recovery', 'email', 'oidc'].map((name) =>
      factors.confirming(name),
    );
    expect(confirming).toEqual([password, codes, undefined, mail, undefined]);
    expect(['totp', 'email'].map((name) => factors.beginning(name))).toEqual([undefined, mail]);
  });

  it('can be completed with them, and not with those of other services', () => {
    const factors = factorsOf(password, codes, passkey, provider);
    expect(factors.names()).toEqual(['totp', 'recovery', 'passkey']);
    const found = ['totp', 'passkey', 'password', 'oidc', 'mfa'].map((name) => factors.find(name));
    expect(found).toEqual([codes, passkey, undefined, undefined, undefined]);
  });
});

describe('the second factors that confirm a login', () => {
  it.each<[string, Factor[], boolean, string[]]>([
    ['those that logins ask for', [password, codes], false, ['totp']],
    ['those that another service asks for', [password, provider], false, ['oidc']],
    ['not those that are only offered', [password, passkey], false, []],
    ['those that are only offered, for changes of the own factors', [password, passkey], true, ['passkey']],
    ['those that are only offered, if one is required', [passkey, required], false, ['passkey']],
    ['those that are only offered, beside others', [passkey, codes], false, ['passkey', 'totp']],
    ['nothing for a user without one', [password, factor('totp', { owned: [] })], true, []],
  ])('are %s', (_what, factors, isOwnChange, names) => {
    expect(factorsOf(...factors).secondOf(USER, isOwnChange)).toMatchObject({ names });
  });

  it.each<[string, Factor[], boolean]>([
    ['are only offered', [password, passkey, factor('totp', { owned: [] })], true],
    ['are asked for', [passkey, codes], false],
    ['are asked for by another service', [passkey, provider], false],
    ['are only offered, but one is required', [passkey, required], false],
  ])('%s', (_what, factors, areOffered) => {
    expect(factorsOf(...factors).secondOf(USER, true)).toMatchObject({ areOffered });
  });

  it('are a promise only if a factor needs one', async () => {
    const slow = { ...codes, has: async () => ['totp'] };
    expect(factorsOf(password, codes).secondOf(USER)).not.toBeInstanceOf(Promise);
    expect(await factorsOf(passkey, slow).secondOf(USER)).toMatchObject({ names: ['passkey', 'totp'] });
  });
});

describe('all factors that confirm a login', () => {
  it('are the password where users cannot log in without one', () => {
    expect(factorsOf(password, codes).confirmersOf(USER)).toEqual(['password']);
  });

  it('are those that the user has, if the user has no password', async () => {
    const mail = factor('email', { second: 'no', has: async () => ['email'] });
    expect(await factorsOf(factor('password', { owned: [] }), codes, mail).confirmersOf(USER)).toEqual([
      'totp',
      'email',
    ]);
    expect(factorsOf(password, mail).confirmersOf(USER)).toEqual(['password']);
  });

  it('are those that the user has, where users can', () => {
    const other = factor('oidc', { second: 'no', canLogIn: () => ['oidc'] });
    const factors = factorsOf(factor('password', { owned: [] }), codes, other);
    expect(factors.confirmersOf(USER)).toEqual(['totp', 'oidc']);
  });
});

it('the ways to log in are looked up one after the other, so that no two changes wait for each other', async () => {
  const asked: string[] = [];
  const way = (name: string) =>
    factor(name, {
      canLogIn: async () => {
        asked.push(`${name} begins`);
        await Promise.resolve();
        asked.push(`${name} ends`);
        return [name];
      },
    });
  expect(await factorsOf(way('a'), password, way('b')).waysOf(USER, {} as never)).toEqual(['a', 'b']);
  expect(asked).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

describe('a required second factor', () => {
  const factors = factorsOf(codes, required);
  const isMissing = (user: typeof USER, shown: LoginProof['factors']) =>
    factors.needsEnrolment({ user, proof: { factors: shown } });

  it.each(['totp', 'recovery', 'passkey', 'mfa'])('can be %s', (name) => {
    expect(isMissing(USER, { password: 1, [name]: 1 })).toBe(false);
  });

  it('can be one of the application', () => {
    expect(isMissing(USER, { password: 1, pager: 1 })).toBe(false);
  });

  it.each([{}, { password: 1 }, { link: 1 }, { oidc: 1 }, { key: 1 }])(
    'is missing in the proof %j',
    (shown) => {
      expect([isMissing(USER, shown), isMissing(OTHER, shown)]).toEqual([true, false]);
    },
  );
});
