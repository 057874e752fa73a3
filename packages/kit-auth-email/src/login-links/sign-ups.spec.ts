import { describe, expect, it } from '@jest/globals';
import { type AuthAction, IllegalStateException } from 'kit-auth';
import type { Ports } from 'kit-auth/extend';
import { emailOptions } from '../config/email.options.js';
import { LOGIN_LINK_SIGN_UP, type LoginLinkSignUp, SignUps } from './sign-ups.js';

const page = (name: string) => `https://app.example/${name}#{token}`;
const ADDRESS = { address: 'Ada@Example.com', key: 'ada@example.com' };

function signUpsWith(rules: LoginLinkSignUp | undefined, { signUp = true, enabled = true } = {}): SignUps {
  const ports = {
    only: (...args: unknown[]) => {
      expect(args).toEqual([LOGIN_LINK_SIGN_UP, 'LoginLinkSignUp', ['allows', 'signUp']]);
      return rules;
    },
  } as unknown as Ports;
  const links = { reset: page('reset'), verify: page('verify'), login: page('login') };
  const signUps = new SignUps(ports, emailOptions.resolve({ links, loginLinks: { signUp } }), { enabled });
  signUps.onModuleInit();
  return signUps;
}

const rulesThat = (isAllowed: boolean) => ({ allows: async () => isAllowed, signUp: async () => 7 });
const signUp = (signUps: SignUps) => signUps.signUp(ADDRESS, {} as AuthAction, async () => undefined);

describe('accounts by login links', () => {
  it('are made where the rules of registration allow it', async () => {
    const signUps = signUpsWith(rulesThat(true));
    expect([await signUps.allows(ADDRESS.key), await signUp(signUps)]).toEqual([true, 7]);
  });

  it.each<[string, () => SignUps]>([
    ['the rules do not allow it', () => signUpsWith(rulesThat(false))],
    ['the option is off', () => signUpsWith(rulesThat(true), { signUp: false })],
    ['kit-auth is switched off', () => signUpsWith(undefined, { enabled: false })],
  ])('are not made where %s', async (_, make) => {
    const signUps = make();
    expect(await signUps.allows(ADDRESS.key)).toBe(false);
    await expect(signUp(signUps)).rejects.toMatchObject({ code: 40010 });
  });

  it('need something that makes them', () => {
    expect(() => signUpsWith(undefined)).toThrow(IllegalStateException);
    expect(() => signUpsWith(undefined)).toThrow(
      /kit\.auth\.email\.loginLinks\.signUp creates accounts .*: import KitAuthRegistrationModule, too/,
    );
  });
});
