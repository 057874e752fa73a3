import { describe, expect, it } from '@jest/globals';
import { loginUser } from 'test-support';
import type { LoginUser } from '../contract/login-user.js';
import { ActiveProvider } from '../ports/active.provider.js';
import type { Ports } from '../ports/ports.js';
import { ActingAdministrators } from './acting-administrator.js';

const PERMISSION = 'auth:user:write';

interface Case {
  /** The user as the store has them now. */
  now?: Partial<LoginUser> | undefined;
  /** Their security stamp now. The token is from `stamp`. */
  stamp?: string | undefined;
  /** What resolved the token, and what the token may do. */
  scheme?: string;
  permissions?: string[];
}

/** An administrator who logged in with the permission. */
function administrators({ scheme = 'jwt', permissions = [PERMISSION], ...rest }: Case = {}) {
  const user = loginUser({ permissions });
  const principal = { user, proof: { factors: {} }, scheme, token: 'token' };
  const { now, stamp } = { now: {}, stamp: 'stamp', ...rest };
  const provider = { extensionName: 'jwt', isIssuedFor: (_token: string, its: string) => its === 'stamp' };
  const users = {
    loadLoginUser: async () => now && loginUser({ permissions: [PERMISSION, 'note:read'], ...now }),
    stampOf: async () => stamp,
  };
  return new ActingAdministrators(
    users as never,
    new ActiveProvider({ requireProvider: () => provider } as unknown as Ports),
    { principal: () => principal, getOrThrow: () => user } as never,
    { begin: () => ({ user, note: () => undefined }) } as never,
    { require: async () => undefined } as never,
  );
}

describe('the authority of an acting administrator', () => {
  it('is that of this moment', async () => {
    const authority = await administrators().begin(PERMISSION).authority();
    expect(() => authority.require({ superAdmin: false, permissions: [PERMISSION] })).not.toThrow();
    expect(await administrators().grants()).toMatchObject({ permissions: [PERMISSION, 'note:read'] });
  });

  it.each<[string, Case, object]>([
    ['a demotion', { now: { permissions: ['note:read'] } }, { code: 40300 }],
    ['a change of their stamp', { stamp: 'later' }, { code: 40101, reason: 'revoked' }],
    ['they were disabled', { now: undefined }, { code: 40101, reason: 'disabled' }],
    ['they were disabled after they were loaded', { stamp: undefined }, { code: 40101, reason: 'revoked' }],
    ['a reset, which asks for a new password', { now: { mustChangePassword: true } }, { code: 40301 }],
  ])('is refused to a token from before %s', async (_what, given, refusal) => {
    await expect(administrators(given).begin(PERMISSION).authority()).rejects.toMatchObject(refusal);
  });

  it('is that of the credential, where it has fewer permissions than its owner', async () => {
    const key = administrators({
      scheme: 'key',
      permissions: ['note:read', 'auth:role:write'],
      stamp: 'later',
    });
    expect(await key.grants()).toEqual({ superAdmin: false, permissions: ['note:read'] });
  });
});
