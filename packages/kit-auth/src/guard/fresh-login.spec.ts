import { describe, expect, it } from '@jest/globals';
import type { FreshRequirement } from '../contract/requirement.js';
import { ACCOUNT_CREATED, staleness, stalenessOf } from './fresh-login.js';

const NOW = 1_800_000_000;
const within = (seconds: number, factors: FreshRequirement['factors'] = 'any') =>
  ({ kind: 'fresh', within: seconds, factors }) as const;
const stale = (
  factors: unknown,
  requirement: FreshRequirement = within(600),
  names: string[] = [],
  areOffered = false,
) => staleness({ factors: factors as Record<string, number> }, requirement, { names, areOffered }, NOW);

describe('a login', () => {
  it('is fresh until it is older than asked for', () => {
    expect(stale({ password: NOW - 600 })).toBeUndefined();
    expect(stale({ password: NOW - 601 })).toEqual({ missing: ['password'], reason: 'expired' });
  });

  it('is fresh under five seconds, whatever is asked for', () => {
    expect(stale({ password: NOW - 4 }, within(1))).toBeUndefined();
    expect(stale({ password: NOW - 5 }, within(1))?.reason).toBe('expired');
  });

  it('may be five seconds ahead, and no more', () => {
    expect(stale({ password: NOW + 5 })).toBeUndefined();
    expect(stale({ password: NOW + 6 })).toEqual({ missing: ['password'], reason: 'missing' });
  });

  it.each<[string, unknown[]]>([
    ['texts and others', [String(NOW), null, [NOW], true, BigInt(NOW)]],
    ['numbers that are no time', [-1, 1e21, NOW - 0.5, NaN, Infinity]],
    ['objects that are like a time', [{ valueOf: () => NOW }, new Date(NOW * 1000)]],
  ])('is not fresh with %s', (_what, times) => {
    for (const password of times) {
      expect(stale({ password })).toEqual({ missing: ['password'], reason: 'missing' });
    }
  });

  it('is not fresh with weak factors, or those of a prototype', () => {
    const weak = { email: NOW, recovery: NOW, key: NOW };
    for (const factors of [{}, { key: NOW }, weak, Object.create({ password: NOW })]) {
      expect(stale(factors)).toEqual({ missing: ['password'], reason: 'missing' });
    }
  });

  it('is full with a passkey alone, and expires like any other', () => {
    const full = within(600, 'full');
    expect(stale({ passkey: NOW - 600 }, full, ['totp'])).toBeUndefined();
    expect(stale({ passkey: NOW - 600 }, full)).toBeUndefined();
    expect(stale({ passkey: NOW - 601 }, full, ['totp'])?.missing).toEqual(['password', 'totp']);
  });

  it('needs one of the factors of a list, which may be weak ones', () => {
    const list = within(600, ['passkey', 'email']);
    expect(stale({ password: NOW, email: NOW - 600 }, list)).toBeUndefined();
    expect(stale({ password: NOW }, list)).toEqual({ missing: ['passkey', 'email'], reason: 'missing' });
    expect(stale({ email: NOW - 601 }, list)?.reason).toBe('expired');
  });

  it('needs a second factor where the user has one, otherwise any factor', () => {
    const second = ['totp', 'passkey'];
    const [missing, expired] = ['missing', 'expired'].map((reason) => ({ missing: second, reason }));
    for (const words of ['second', 'second-or-recovery'] as const) {
      const wanted = within(600, words);
      expect(stale({ oidc: NOW }, wanted)).toBeUndefined();
      expect(stale({ recovery: NOW }, wanted)).toEqual({ missing: ['password'], reason: 'missing' });
      expect(stale({ password: 1, passkey: NOW }, wanted, second)).toBeUndefined();
      expect(stale({ password: NOW, oidc: NOW }, wanted, second)).toEqual(missing);
      expect(stale({ password: NOW, totp: NOW - 601 }, wanted, second)).toEqual(expired);
      expect(stale({ oidc: NOW, mfa: NOW }, wanted, second)).toBeUndefined();
      expect(stale({ oidc: NOW, mfa: 0 }, wanted, second)).toEqual(expired);
    }
    const recovered = { password: NOW, recovery: NOW - 600 };
    expect(stale(recovered, within(600, 'second-or-recovery'), second)).toBeUndefined();
    expect(stale(recovered, within(599, 'second-or-recovery'), second)).toEqual(expired);
    expect(stale(recovered, within(600, 'second'), second)).toEqual(missing);
  });

  it('can be one by mail, for changes of the own factors of a user whose logins ask for none of them', () => {
    const own = within(600, 'second-or-recovery');
    const missing = { missing: ['passkey'], reason: 'missing' };
    expect(stale({ email: NOW - 600 }, own, ['passkey'], true)).toBeUndefined();
    expect(stale({ email: NOW - 601 }, own, ['passkey'], true)?.reason).toBe('expired');
    expect(stale({ password: NOW }, own, ['passkey'], true)).toEqual(missing);
    expect(stale({ email: NOW }, own, ['passkey'])).toEqual(missing);
    expect(stale({ email: NOW }, own, [], true)).toEqual({ missing: ['password'], reason: 'missing' });
    for (const words of ['any', 'full', 'second'] as const) {
      expect(stale({ email: NOW }, within(600, words), ['passkey'], true)?.reason).toBe('missing');
    }
  });

  it('needs the second factor of a provider, which does not replace another one of the user', () => {
    for (const words of ['second', 'second-or-recovery', 'full'] as const) {
      const wanted = within(600, words);
      const missing = { missing: ['oidc'], reason: 'missing' };
      expect(stale({ password: NOW }, wanted, ['oidc'])).toEqual(missing);
      expect(stale({ password: NOW, oidc: NOW }, wanted, ['oidc'])).toBeUndefined();
      expect(stale({ password: NOW, mfa: NOW }, wanted, ['oidc'])).toBeUndefined();
      expect(stale({ oidc: NOW }, wanted, ['totp', 'oidc'])?.missing).toEqual(['totp', 'oidc']);
      expect(stale({ oidc: NOW, mfa: NOW }, wanted, ['totp', 'oidc'])).toBeUndefined();
    }
  });

  it('needs the password and one second factor in full', () => {
    const full = within(600, 'full');
    const second = ['totp', 'passkey'];
    expect(stale({ password: NOW }, full)).toBeUndefined();
    expect(stale({ totp: NOW }, full)).toEqual({ missing: ['password'], reason: 'missing' });
    expect(stale({ password: NOW, passkey: NOW }, full, second)).toBeUndefined();
    expect(stale({ password: NOW }, full, second)).toEqual({ missing: second, reason: 'missing' });
    expect(stale({ oidc: NOW, mfa: NOW }, full, second)).toBeUndefined();
    const both = { missing: ['password', ...second], reason: 'expired' };
    expect(stale({ password: 1, totp: 1 }, full, second)).toEqual(both);
    expect(stale({ totp: 1 }, full, second)?.reason).toBe('missing');
    expect(stale({ password: NOW }, full, ['totp'])?.missing).toEqual(['totp']);
  });
});

describe('a login without a fresh password', () => {
  const lacks = (
    factors: Record<string, number>,
    confirmers: string[],
    wanted: FreshRequirement['factors'] = 'any',
    isEnrolment = wanted !== 'any',
    seconds = 600,
  ) => {
    const login = { factors };
    const requirement = within(seconds, wanted);
    const found = staleness(login, requirement, { names: [], areOffered: true }, NOW);
    return found && stalenessOf(found, confirmers, login, requirement, isEnrolment, NOW);
  };
  const missing = (...names: string[]) => ({ missing: names, reason: 'missing' });
  const expired = (...names: string[]) => ({ missing: names, reason: 'expired' });
  const ENROLS = ['second', 'second-or-recovery'] as const;

  it('shows what the user has, and a mail only if there is nothing else', () => {
    for (const words of ['any', ...ENROLS] as const) {
      expect(lacks({ email: NOW }, ['password', 'email'], words)).toEqual(missing('password'));
      expect(lacks({ email: NOW }, ['totp', 'oidc', 'email'], words)).toEqual(missing('totp', 'oidc'));
      expect(lacks({ email: NOW }, ['oidc', 'email'], words)).toBeUndefined();
      expect(lacks({}, ['oidc', 'email'], words)).toEqual(missing('oidc', 'email'));
      expect(lacks({}, ['email'], words)).toEqual(missing('email'));
      expect(lacks({ email: NOW - 601 }, ['email'], words)).toEqual(expired('email'));
      expect(lacks({ email: NOW - 600 }, ['email'], words)).toBeUndefined();
      expect(lacks({ email: NOW }, [], words)).toEqual(missing('login'));
      expect(lacks({ oidc: 0 }, [], words)).toEqual(expired('login'));
    }
  });

  it('is no second factor with a mail where nothing is set up', () => {
    for (const words of ENROLS) {
      expect(lacks({ email: NOW }, ['email'], words, false)).toEqual(missing('login'));
      expect(lacks({ email: NOW }, ['oidc', 'email'], words, false)).toEqual(missing('oidc'));
      expect(lacks({ [ACCOUNT_CREATED]: NOW }, ['email'], words, false)).toEqual(missing('login'));
    }
  });

  it('is that of a sign-up, for the first enrolment in ten minutes', () => {
    const created = (ago: number) => ({ oidc: 0, [ACCOUNT_CREATED]: NOW - ago });
    for (const words of ENROLS) {
      for (const confirmers of [[], ['email'], ['oidc'], ['oidc', 'email']]) {
        expect(lacks(created(600), confirmers, words, true, 3600)).toBeUndefined();
        expect(lacks(created(601), confirmers, words, true, 3600)?.reason).toBe('expired');
      }
      expect(lacks(created(60), [], words, true, 59)).toEqual(expired('login'));
      expect(lacks(created(0), ['passkey', 'oidc'], words)).toEqual(expired('passkey', 'oidc'));
      expect(lacks(created(0), ['password'], words)).toEqual(expired('password'));
    }
    expect(lacks(created(0), ['email'])).toEqual(expired('email'));
    expect(lacks(created(0), ['email'], 'any', true)).toBeUndefined();
  });

  it('is never full with a mail or a sign-up, and lacks a password if the user has none', () => {
    const factors = { email: NOW, [ACCOUNT_CREATED]: NOW };
    for (const confirmers of [[], ['email'], ['totp']]) {
      expect(lacks(factors, confirmers, 'full', true)).toEqual(missing('password'));
    }
    expect(lacks(factors, ['passkey', 'email'], 'full')).toEqual(missing('passkey'));
    expect(lacks(factors, ['oidc', 'email'], 'full')).toEqual(missing('oidc'));
  });
});
