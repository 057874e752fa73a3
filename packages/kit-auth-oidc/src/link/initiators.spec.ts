import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { loginUser } from 'test-support';
import { Initiators } from './initiators.js';

const principal = { user: loginUser(), proof: { factors: {} }, scheme: 'stub', token: 't' };
const initiator = { userId: 7, loginId: 'l' };
const failed = { code: 40114, reason: 'state' };

/** What is known of the request that comes back. Each default describes the login that started the attempt. */
interface Known {
  principalOf?: () => Promise<unknown>;
  isOfLogin?: boolean;
  loginId?: string;
  stamp?: string | undefined;
}

function requireWith(known: Known, given = initiator): Promise<unknown> {
  const { principalOf = async () => principal, isOfLogin = true, loginId = 'l' } = known;
  const stamp = 'stamp' in known ? known.stamp : 's1';
  const logins = new Initiators(
    { principalOf } as never,
    { idOf: () => loginId } as never,
    { hasResolved: () => isOfLogin, isIssuedFor: (_login: unknown, now: string) => now === 's1' } as never,
    { stampOf: async () => stamp } as never,
  );
  return logins.require(given, {});
}

describe('the login that started the attempt', () => {
  it('is found again', async () => {
    expect(await requireWith({})).toBe(principal);
  });

  it.each<[string, Known]>([
    ['has logged out', { principalOf: async () => undefined }],
    ['is over', { principalOf: () => Promise.reject(new AuthException(AuthErrorCode.TOKEN_INVALID)) }],
    ['is an API key now', { isOfLogin: false }],
    ['is another one of the user now', { loginId: 'm' }],
    ['was ended by a new password', { stamp: 's2' }],
    ['is that of a user who is gone', { stamp: undefined }],
  ])('is not there if it %s', async (_what, known) => {
    await expect(requireWith(known)).rejects.toMatchObject(failed);
  });

  it('is not that of another user', async () => {
    await expect(requireWith({}, { ...initiator, userId: 8 })).rejects.toMatchObject(failed);
  });

  it('is not given up because tokens cannot be checked', async () => {
    const principalOf = () => Promise.reject(new AuthException(AuthErrorCode.AUTH_UNAVAILABLE));
    await expect(requireWith({ principalOf })).rejects.toMatchObject({ code: 50300 });
  });
});
