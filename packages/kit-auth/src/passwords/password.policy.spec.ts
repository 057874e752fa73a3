import { describe, expect, it } from '@jest/globals';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import { MAX_PASSWORD_BYTES } from '../contract/settings.js';
import type { PasswordHashing } from './password.hashing.js';
import { PasswordPolicy } from './password.policy.js';

const policyOf = (options: object = {}, maxBytes = MAX_PASSWORD_BYTES) =>
  new PasswordPolicy(kitAuthOptions.resolve(options).settings, { maxBytes } as PasswordHashing);
const policy = policyOf();

async function reasonOf(password: string, username = 'ada', by = policy): Promise<string | undefined> {
  return by.check(password, username).then(
    () => undefined,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 40000 });
      return (error as { reason: string }).reason;
    },
  );
}

describe('PasswordPolicy', () => {
  it.each<[string, string, string | undefined]>([
    ['another right one 4712', 'ada', undefined],
    ['tr8 mnq!', 'ada', undefined],
    ['plum ada 4711', 'ada', undefined], // the name is short, and may occur by chance
    ['short7c', 'ada', 'password-too-short'],
    ['\u{1f680}'.repeat(7), 'ada', 'password-too-short'],
    ['\u{1f680}'.repeat(8), 'ada', undefined],
    ['x'.repeat(73), 'ada', 'password-too-long'],
    ['\u20ac'.repeat(25), 'ada', 'password-too-long'],
    ['a lone surrogate \ud800', 'ada', 'password-malformed'],
    ['password', 'ada', 'password-common'],
    ['Password123456789!', 'ada', 'password-common'],
    ['QWERTYUIOP', 'ada', 'password-common'],
    ['admin123', 'ada', 'password-common'],
    ['Kit-Auth 2026', 'ada', 'password-common'],
    ['!!!!ADA4711', 'ada', 'password-common'],
    ['my USER-secret', 'user-secret', 'password-has-username'],
    ['Adalove1', 'adalove1', 'password-has-username'],
  ])('judges %j of %j: %s', async (password, username, reason) => {
    expect(await reasonOf(password, username)).toBe(reason);
  });

  it('has the length that is configured, and says it', async () => {
    const strict = policyOf({ password: { minLength: 15 } });
    expect(await reasonOf('fourteen signs', 'ada', strict)).toBe('password-too-short');
    await expect(strict.check('fourteen signs', 'ada')).rejects.toThrow('needs at least 15 characters');
    await expect(strict.check('fourteen signs', 'ada')).rejects.toMatchObject({ count: 15 });
    expect(await reasonOf('fifteen letters', 'ada', strict)).toBeUndefined();
  });

  it('has the limit of the hasher, which may be none', async () => {
    expect(await reasonOf('long words '.repeat(100), 'ada', policyOf({}, Infinity))).toBeUndefined();
    await expect(policy.check('my USER-secret', 'user-secret')).rejects.not.toThrow('my USER');
    await expect(policyOf({}, 20).check('x'.repeat(21), 'ada')).rejects.toThrow('at most 20 bytes');
  });

  it('takes the password of the first administrator for a common one, but for that administrator', async () => {
    const own = policyOf({ defaultAdminPassword: 'Correct Horse 4711' });
    expect(await reasonOf('correct horse 4711', 'ada', own)).toBe('password-common');
    await expect(own.checkSeeded()).resolves.toBeUndefined();
    await expect(policyOf({ defaultAdminPassword: 'Password123!' }).checkSeeded()).rejects.toMatchObject({
      reason: 'password-common',
    });
    const named = policyOf({ defaultAdminUsername: 'operator', defaultAdminPassword: 'operator 4711' });
    await expect(named.checkSeeded()).rejects.toMatchObject({ reason: 'password-has-username' });
  });
});
