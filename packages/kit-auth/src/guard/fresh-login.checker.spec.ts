import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Provider } from '@nestjs/common';
import { AUTH_FACTOR, type Factor } from 'kit-auth';
import { loginUser, testApp } from 'test-support';
import type { FreshRequirement } from '../contract/requirement.js';
import { Factors } from '../ports/factors.js';
import type { Ports } from '../ports/ports.js';
import { FreshLoginChecker } from './fresh-login.checker.js';

const WORDS = ['any', 'full', 'second', 'second-or-recovery'] as const;
const now = Math.floor(Date.now() / 1000);
const login = { user: loginUser(), proof: { factors: { password: now } } };

/** What the check of a fresh login returns. */
async function checksWith(...providers: Provider[]): Promise<unknown[]> {
  const app = await testApp({ providers });
  const checker = app.get(FreshLoginChecker);
  return WORDS.map((factors) => checker.check(login, { kind: 'fresh', within: 600, factors }));
}

describe('the check of a fresh login', () => {
  it('is no promise where no module has factors', async () => {
    const checks = await checksWith();
    expect(checks).toEqual(Array(4).fill(undefined));
  });

  it('asks for second factors where they decide, and waits for nothing else', async () => {
    const asked: string[] = [];
    const has = async ({ username }: { username: string }) => {
      asked.push(username);
      return [];
    };
    const checks = await checksWith({
      provide: AUTH_FACTOR,
      useValue: { names: ['pager'], confirms: ['pager'], second: 'elsewhere', has },
    });
    expect(checks.map((check) => check instanceof Promise)).toEqual([false, true, true, true]);
    await Promise.all(checks);
    expect(asked).toHaveLength(3);
  });
});

describe('an endpoint that needs a fresh login for some requests only', () => {
  const NOW = 1_800_000_000;
  const stale = { code: 40120, reason: 'expired' };
  const loginOf = (factors: Record<string, number>) => ({ user: loginUser(), proof: { factors } });
  const [freshOne, old] = [loginOf({ password: NOW - 600 }), loginOf({ password: NOW - 601 })];
  const checkerOf = (keepsProof: boolean | undefined, ...factors: Factor[]) => {
    const ports = { requireProvider: () => ({ keepsProof }), factors } as unknown as Ports;
    return new FreshLoginChecker(ports, new Factors(ports));
  };
  const factor = (name: string, members: Partial<Factor> = {}): Factor => ({
    names: [name],
    confirms: [name],
    has: () => [name],
    ...members,
  });

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000 + 999);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('refuses a login that is older than ten minutes, and says how old it may be', async () => {
    const checker = checkerOf(true);
    await expect(checker.require(freshOne)).resolves.toBeUndefined();
    const response = { missing: ['password'], maxAge: 600 };
    await expect(checker.require(old)).rejects.toMatchObject({ ...stale, response });
    await expect(checker.require(undefined)).resolves.toBeUndefined();
  });

  it('asks for nothing where tokens do not say how the user logged in', async () => {
    const requirement: FreshRequirement = { kind: 'fresh', within: 60, factors: 'full' };
    for (const keepsProof of [false, undefined]) {
      await expect(checkerOf(keepsProof).require(old)).resolves.toBeUndefined();
      await expect(checkerOf(keepsProof).require(old, requirement)).resolves.toBeUndefined();
    }
  });

  it('may ask for the second factors of the user', async () => {
    const requirement: FreshRequirement = { kind: 'fresh', within: 600, factors: 'full' };
    const checker = checkerOf(true, factor('totp', { has: async () => ['totp'] }), factor('passkey'));
    const refusal = { code: 40120, response: { missing: ['totp', 'passkey'] } };
    await expect(checker.require(freshOne, requirement)).rejects.toMatchObject(refusal);
    const full = loginOf({ password: NOW, passkey: NOW });
    await expect(checker.require(full, requirement)).resolves.toBeUndefined();
    await expect(checker.require(undefined, requirement)).resolves.toBeUndefined();
    const atOnce = checkerOf(true, factor('totp'));
    expect(() => atOnce.check(freshOne, requirement)).toThrow(expect.objectContaining({ code: 40120 }));
    expect(atOnce.check(loginOf({ password: NOW, totp: NOW }), requirement)).toBeUndefined();
  });

  it('asks for a factor that logins only offer where the user changes the own factors', async () => {
    const checker = checkerOf(true, factor('passkey', { second: 'offered' }));
    for (const factors of WORDS) {
      const required = checker.require(freshOne, { kind: 'fresh', within: 600, factors });
      const refusal = { code: 40120, response: { missing: ['passkey'] } };
      await (factors === 'second-or-recovery'
        ? expect(required).rejects.toMatchObject(refusal)
        : expect(required).resolves.toBeUndefined());
    }
  });

  it('lists what the user can show instead of the password, where users can log in without one', async () => {
    const asked: string[] = [];
    const passkey = factor('passkey', {
      has: async ({ username }) => {
        asked.push(username);
        return ['passkey'];
      },
      canLogIn: () => [],
    });
    const other = factor('oidc', { second: 'no' });
    const checker = checkerOf(true, passkey, factor('totp'), other);
    const missingOf = async (factors: FreshRequirement['factors'], asking = checker) => {
      const refusal: unknown = await asking
        .require(old, { kind: 'fresh', within: 600, factors })
        .catch((error: unknown) => error);
      return (refusal as { response: { missing: string[] } }).response.missing;
    };
    expect(await missingOf('any')).toEqual(['passkey', 'totp', 'oidc']);
    expect(await missingOf('full')).toEqual(['passkey', 'totp', 'oidc']);
    expect(await missingOf('full', checkerOf(true, factor('totp'), other))).toEqual(['password', 'totp']);
    asked.length = 0;
    expect(await missingOf(['password'])).toEqual(['password']);
    await checker.require(freshOne);
    expect(asked).toEqual([]);
    expect(await missingOf('second')).toEqual(['passkey', 'totp']);
  });
});
