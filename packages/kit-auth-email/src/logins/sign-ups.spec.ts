import { describe, expect, it } from '@jest/globals';
import { type AuthAction, IllegalStateException } from 'kit-auth';
import { emailOptions } from '../email.options.js';
import { type LoginLinkSignUp, LoginLinkSignUps } from './sign-ups.js';

const page = (name: string) => `https://app.example/${name}#{token}`;
const ADDRESS = { address: 'Ada@Example.com', key: 'ada@example.com' };

function signUpsWith(
  rules: readonly LoginLinkSignUp[],
  { signUp = true, enabled = true } = {},
): LoginLinkSignUps {
  const links = { reset: page('reset'), verify: page('verify'), login: page('login') };
  const signUps = new LoginLinkSignUps(emailOptions.resolve({ links, loginLinks: { signUp } }), { enabled });
  rules.forEach((one) => signUps.use(one));
  signUps.onModuleInit();
  return signUps;
}

const rulesThat = (isAllowed: boolean) => ({ allows: async () => isAllowed, signUp: async () => 7 });
const signUp = (signUps: LoginLinkSignUps) =>
  signUps.signUp(ADDRESS, {} as AuthAction, async () => undefined);

describe('accounts by login links', () => {
  it('are made where the rules of registration allow it', async () => {
    const signUps = signUpsWith([rulesThat(true)]);
    expect([await signUps.allows(ADDRESS.key), await signUp(signUps)]).toEqual([true, 7]);
  });

  it.each<[string, () => LoginLinkSignUps]>([
    ['the rules do not allow it', () => signUpsWith([rulesThat(false)])],
    ['the option is off', () => signUpsWith([rulesThat(true)], { signUp: false })],
    ['kit-auth is switched off', () => signUpsWith([rulesThat(true)], { enabled: false })],
    ['kit-auth is switched off, without rules', () => signUpsWith([], { enabled: false })],
  ])('are not made where %s', async (_, make) => {
    const signUps = make();
    expect(await signUps.allows(ADDRESS.key)).toBe(false);
    await expect(signUp(signUps)).rejects.toMatchObject({ code: 40010 });
  });

  it('need one module that makes them', () => {
    expect(() => signUpsWith([])).toThrow(IllegalStateException);
    expect(() => signUpsWith([])).toThrow(
      /kit\.auth\.email\.loginLinks\.signUp creates accounts .*: import KitAuthRegistrationModule, too/,
    );
    expect(() => signUpsWith([rulesThat(true), rulesThat(true)])).toThrow(
      /import KitAuthRegistrationModule once/,
    );
  });
});
