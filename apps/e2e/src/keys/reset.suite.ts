import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import { OneTimeTokens } from 'kit-auth/store';
import { IsNull } from 'typeorm';
import { EmailApp, type UserWithAddress } from '../email/app.js';
import { nameOf, type Place, sharedInstances } from 'test-support';

const BODY = { name: 'Script', abilities: ['note:read'] };

/** What a reset of the password does to keys. @param rounds of the race with new keys */
export function describeKeysReset(place: Place, { rounds }: { rounds: number }): void {
  describe(`API keys and a reset of the password ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(
      place,
      (options) =>
        new EmailApp({
          ...options,
          admin: true,
          imports: [KitAuthKeysModule, ...options.imports],
        }),
    );
    let user: UserWithAddress;
    let token: string;
    beforeAll(async () => {
      await app.role({ code: 'reader', permissions: ['note:read'] });
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });
    beforeEach(async () => {
      user = await app.addressed({ roles: ['reader'] });
      token = await app.tokenOf(user);
    });

    /** A route that the key may not call tells, too, whether the key lives. */
    const stateOf = (key: string, at = app) => at.stateOf(key, '/v1/api/auth/keys');
    const create = (at = app) => at.call(token, 'POST', 'keys', BODY);
    const newKey = async () => (await create()).json.key as string;
    const live = () => app.rowsOf(AuthApiKey).countBy({ userId: String(user.id), endedBy: IsNull() });

    it('end with it', async () => {
      const keys = [await newKey(), await newKey()];
      expect(await stateOf(keys[0]!)).toMatch(/^40304/);
      const link = await app.resetToken(user);
      expect(await stateOf(keys[0]!)).toMatch(/^40304/);
      expect(await app.outcomeOf(second.reset(link))).toBe(204);
      for (const key of keys) {
        expect([await stateOf(key), await stateOf(key, second)]).toEqual([
          '40101 password-changed',
          '40101 password-changed',
        ]);
      }
      // A JWT of before the reset is valid until it expires, but makes no keys.
      expect([(await create()).json.code, await live()]).toEqual([40101, 0]);
      expect(await app.rowsOf(AuthApiKey).countBy({ userId: String(user.id) })).toBe(2);
      const { key: other } = (await app.call(await app.adminToken(), 'POST', 'keys', BODY)).json;
      expect(await stateOf(other)).toMatch(/^40304/);
    });

    it('do not end when it fails', async () => {
      const key = await newKey();
      const link = await app.resetToken(user);
      const cancel = jest.spyOn(app.get(OneTimeTokens), 'cancel').mockRejectedValueOnce(new Error('it dies'));
      expect(await app.outcomeOf(app.reset(link))).toBe(50300);
      cancel.mockRestore();
      expect(await stateOf(key)).toMatch(/^40304/);
    });

    it('do not outlive it when they are created meanwhile', async () => {
      const unexpected: string[] = [];
      for (let round = 0; round < rounds; round++) {
        user = await app.addressed({ roles: ['reader'] });
        token = await app.tokenOf(user);
        const link = await app.resetToken(user);
        const [reset, ...created] = await Promise.all([
          app.outcomeOf(app.reset(link)),
          ...Array.from({ length: 6 }, (_, i) => create([app, second][i % 2])),
        ]);
        for (const { status, json } of created) {
          if (status === 201) {
            const state = await stateOf(json.key, second);
            unexpected.push(...(state === '40101 password-changed' ? [] : [state]));
          } else if (json.code !== 40101) {
            unexpected.push(`${json.code}`);
          }
        }
        unexpected.push(...(reset === 204 ? [] : [`${reset}`]));
        expect(await live()).toBe(0);
      }
      expect(unexpected).toEqual([]);
    });
  });
}
