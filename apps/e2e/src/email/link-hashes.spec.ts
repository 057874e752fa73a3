import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { NewPasswords } from 'kit-auth/login';
import { AuthOneTime } from 'kit-auth/store';
import { PASSWORD, sharedTestApp } from 'test-support';
import { RegistrationApp, withoutDelays } from '../registration/app.js';

describe('hashes of passwords that holders of links choose', () => {
  const app = sharedTestApp(new RegistrationApp({ trustProxy: true, platform: 'fastify' }));
  beforeEach(withoutDelays);
  afterEach(() => {
    jest.restoreAllMocks();
  });

  async function resetLink(address: string): Promise<string> {
    const user = await app.user();
    await app.addresses.assign(user.id, address, { verified: true });
    const data = { key: address };
    return (await app.tokens.issue({ purpose: 'reset', userId: user.id, data, ttlSeconds: 600 })).token;
  }

  it.each(['reset', 'register'])(
    'are computed as often as a link to %s allows, for its client, and not for what is refused anyway',
    async (purpose) => {
      const isReset = purpose === 'reset';
      const address = `${purpose}@example.com`;
      const link = await (isReset ? resetLink(address) : app.linkTo(address));
      const hash = jest.spyOn(app.get(NewPasswords), 'hash');
      const use = async (password: string, token = link) => {
        const [path, json]: [string, object] = isReset
          ? ['password/reset', { token, newPassword: password }]
          : ['register/complete', { token, password }];
        const headers = ['X-Forwarded-For: 192.0.2.1'];
        const answer = await app.request(`/v1/api/auth/${path}`, { method: 'POST', json, headers });
        return answer.json.code as number;
      };
      const refusing = jest.spyOn(app.get(ActiveUserStore), isReset ? 'changePassword' : 'createUser');
      refusing.mockRejectedValue(new AuthException(AuthErrorCode.CONFLICT));
      const { id } = await app.tokens.peek(purpose, link);
      await app.rowsOf(AuthOneTime).update({ id }, { attempts: 19 });
      const other = await (isReset ? app.linkTo('other@example.com') : resetLink('other@example.com'));
      const codes = [await use('weak'), await use(PASSWORD, other), await use(PASSWORD)];
      expect(codes).toEqual([40000, 40010, 40900]);
      expect([await use(PASSWORD), await use(PASSWORD)]).toEqual([40010, 40010]);
      expect(hash.mock.calls).toEqual([
        [PASSWORD, expect.any(String), expect.objectContaining({ address: '192.0.2.1' })],
      ]);
    },
  );
});
