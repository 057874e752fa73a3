import { beforeEach, describe, expect, it } from '@jest/globals';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { AuthPasskey, AuthPasskeyUser } from 'kit-auth-passkeys/typeorm';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { atOnce, freezeDate, nameOf, PASSWORD, type Place, sharedInstances } from 'test-support';
import { countsOf, MINUTE_MS, ORIGIN, outcomeOf, PasskeysApp } from './app.js';

const MOST = 3;

/** How users add, list, rename and remove passkeys, with two instances on one database. */
export function describePasskeyAccounts(place: Place): void {
  describe(`own passkeys ${nameOf(place)}`, () => {
    const [app, second] = sharedInstances(
      place,
      (options) => new PasskeysApp({ ...options, passkeys: { maxPerUser: MOST } }),
    );
    const instance = (i: number) => [app, second][i % 2]!;
    let pass: (milliseconds: number) => void;
    let user: AuthUser;
    let token: string;
    beforeEach(async () => {
      pass = freezeDate();
      user = await app.user({ nickname: 'Ada' });
      token = await app.tokenOf(user);
    });

    const fake = (options: Partial<Parameters<typeof fakePasskey>[0]> = {}) =>
      fakePasskey({ origin: ORIGIN, ...options });
    const call = async (method: string, path: string, json?: object, as = token) =>
      outcomeOf(await app.call(as, method, path, json));
    const over = place.tokens === 'jwt' ? 'live' : expect.stringMatching(/^40101/);

    it('are added with a new token, which has the factor', async () => {
      const none = await app.call(token, 'GET', 'passkeys');
      expect([none.status, none.json, none.headers['cache-control']]).toEqual([200, [], 'no-store']);
      const begun = await app.call(token, 'POST', 'passkeys/options', {});
      expect([begun.status, begun.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(begun.json.options).toMatchObject({
        rp: { id: 'example.com', name: 'Example' },
        user: { id: expect.stringMatching(/^[\w-]{43}$/), name: user.username, displayName: 'Ada' },
        attestation: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: [],
      });
      const passkey = fake();
      const body = { ceremony: begun.json.ceremony, response: passkey.create(begun.json.options) };
      const { status, headers, json } = await second.call(token, 'POST', 'passkeys', body);
      expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
      const { token: next, user: summary, id, ...rest } = json;
      const entry = {
        id,
        name: 'Passkey',
        createdAt: new Date().toISOString(),
        lastUsedAt: null,
        backedUp: true,
        deviceType: 'multi',
        transports: ['internal'],
        signal: { rpId: 'example.com', userId: begun.json.options.user.id, credentialId: passkey.id },
      };
      expect({ id, ...rest }).toMatchObject(entry);
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(summary.username).toBe(user.username);
      const seconds = Math.floor(Date.now() / 1000);
      expect(await app.proofOf(next)).toEqual({ password: seconds, passkey: seconds });
      expect((await app.call(next, 'GET', 'passkeys')).json).toEqual([entry]);
      expect(await app.stateOf(token)).toBe(place.tokens.endsWith('sessions') ? '40101 replaced' : 'live');
      expect(second.heard('passkey-added', user)).toMatchObject([
        { subject: user.username, actor: user.username, detail: 'Passkey' },
      ]);
      expect(outcomeOf(await app.call(next, 'POST', 'passkeys', body))).toBe('40113 challenge-ended');
    });

    it('are excluded from the next registration, which has the same handle and another name', async () => {
      const passkey = fake();
      const { json } = await app.add(token, passkey);
      const { ceremony, options } = (await app.call(json.token, 'POST', 'passkeys/options', {})).json;
      expect(options.excludeCredentials).toEqual([
        { id: passkey.id, type: 'public-key', transports: ['internal'] },
      ]);
      const body = { ceremony, response: fake().create(options) };
      const { json: other } = await app.call(json.token, 'POST', 'passkeys', body);
      expect(other.name).toBe('Passkey 2');
      expect(await call('DELETE', `passkeys/${json.id}`, undefined, other.token)).toBe('204');
      const again = (await app.call(other.token, 'POST', 'passkeys/options', {})).json.options;
      expect([again.user.id, again.excludeCredentials.length]).toEqual([options.user.id, 1]);
    });

    it('have one handle, however many registrations begin at once', async () => {
      const answers = await atOnce([app, second], 8, (i) =>
        instance(i).call(token, 'POST', 'passkeys/options', {}),
      );
      expect(countsOf(answers.map(outcomeOf))).toEqual({ 200: 8 });
      expect(new Set(answers.map(({ json }) => json.options.user.id)).size).toBe(1);
    });

    it('are renamed and removed by their owner', async () => {
      const { json } = await app.add(token, fake(), { name: 'Phone' });
      const path = `passkeys/${json.id}`;
      const stranger = await app.tokenOf(await app.user());
      expect(await call('PATCH', path, { name: 'Mine' }, stranger)).toBe('40400');
      expect(await call('DELETE', path, undefined, stranger)).toBe('40400');
      const renamed = await app.call(json.token, 'PATCH', path, { name: 'Ada\u2019s \ud83d\udcf1' });
      expect([renamed.status, renamed.json.name, renamed.json.id]).toEqual([200, 'Ada’s 📱', json.id]);
      expect(app.heard('passkey-renamed', user)).toHaveLength(1);
      expect(await call('DELETE', path, undefined, json.token)).toBe('204');
      expect(await call('DELETE', path, undefined, json.token)).toBe('40400');
      expect(await call('DELETE', 'passkeys/%00', undefined, json.token)).toBe('40400');
      expect(app.heard('passkey-removed', user)).toMatchObject([{ detail: 'Ada’s 📱' }]);
    });

    it('are the last way to log in without a password, and one is left by two tabs at once', async () => {
      const [one, two] = [fake(), fake()];
      const first = await app.add(token, one);
      const other = await app.add(first.json.token, two);
      await app.users.update({ id: user.id }, { passwordHash: null });
      expect((await app.login(user.username)).json.code).toBe(40110);
      const as = (await app.logIn(one)).json.token as string;
      const outcomes = await Promise.all(
        [first, other].map(async ({ json }, i) =>
          outcomeOf(await instance(i).call(as, 'DELETE', `passkeys/${json.id}`)),
        ),
      );
      expect(countsOf(outcomes)).toEqual({ 204: 1, '40900 last': 1 });
      expect(await app.countOf(user)).toBe(1);
      pass(11 * MINUTE_MS);
      const refused = await app.call(as, 'POST', 'passkeys/options', {});
      expect([refused.json.code, refused.json.missing]).toEqual([40120, ['passkey']]);
    });

    it('are at most as many as allowed, however many come at once', async () => {
      const begun = await Promise.all(Array.from({ length: 8 }, () => app.creation(token)));
      const passkeys = begun.map(() => fake());
      const outcomes = await atOnce([app, second], begun.length, async (i) => {
        const { ceremony, options } = begun[i]!;
        const body = { ceremony, response: passkeys[i]!.create(options) };
        return outcomeOf(await instance(i).call(token, 'POST', 'passkeys', body));
      });
      expect(outcomes.filter((outcome) => /^5/.test(outcome))).toEqual([]);
      expect(await app.countOf(user)).toBe(MOST);
      const logins = await Promise.all(passkeys.map((passkey) => app.logIn(passkey)));
      const { token: fresh } = logins.find(({ status }) => status === 200)!.json;
      expect(await call('POST', 'passkeys/options', {}, fresh)).toBe('40900');
    });

    it('have one owner: 40900, also for two users at once', async () => {
      const passkey = fake();
      const others = [await app.user(), await app.user()];
      const outcomes = await Promise.all(
        others.map(async (other, i) => {
          const as = await app.tokenOf(other);
          return outcomeOf(await instance(i).tryToAdd(as, passkey));
        }),
      );
      expect(outcomes.sort()).toEqual(['201', '40900']);
      const { ceremony, options } = await app.creation(token);
      const body = { ceremony, response: passkey.create(options) };
      const refused = await app.call(token, 'POST', 'passkeys', body);
      expect(outcomeOf(refused)).toBe('40900');
      others.forEach(({ username }) => expect(refused.text).not.toContain(username));
      const again = { ceremony, response: fake().create(options) };
      expect(outcomeOf(await app.call(token, 'POST', 'passkeys', again))).toBe('201');
    });

    it('are added with the ceremony of this user, which a wrong answer leaves as it is', async () => {
      const { ceremony, options } = await app.creation(token);
      const add = (response: unknown, as = token) => call('POST', 'passkeys', { ceremony, response }, as);
      const stranger = await app.tokenOf(await app.user());
      expect(await add(fake().create(options), stranger)).toBe('40113');
      expect(await add(fake().create(options, { flags: { uv: false } }))).toBe('40113');
      expect(await add(fake().create(options, { isDiscoverable: false }))).toBe('40000 not-discoverable');
      expect(await app.countOf(user)).toBe(0);
      expect(await add(fake().create(options))).toBe('201');
    });

    it('are changed with a fresh login, and with no token from before a new password', async () => {
      const passkey = fake();
      const { json } = await app.add(token, passkey);
      pass(11 * MINUTE_MS);
      for (const [method, path] of [
        ['POST', 'passkeys/options'],
        ['POST', 'passkeys'],
        ['DELETE', `passkeys/${json.id}`],
      ] as const) {
        expect(await call(method, path, {}, json.token)).toMatch(/^40120/);
      }
      pass(-11 * MINUTE_MS);
      const { token: stale } = (await app.logIn(passkey)).json;
      const { ceremony, options } = await app.creation(stale);
      const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712' };
      expect(await call('POST', 'password', body, json.token)).toBe('204');
      for (const [method, path, sent] of [
        ['POST', 'passkeys/options', {}],
        ['POST', 'passkeys', { ceremony, response: fake().create(options) }],
        ['PATCH', `passkeys/${json.id}`, { name: 'x' }],
        ['DELETE', `passkeys/${json.id}`, {}],
      ] as const) {
        expect(await call(method, path, sent, stale)).toMatch(/^40101/);
      }
      expect(await app.countOf(user)).toBe(1);
    });

    it('can end the other sessions of their user', async () => {
      const other = await app.tokenOf(user);
      const { ceremony, options } = await app.creation(token);
      const body = { ceremony, response: fake().create(options), endOthers: true };
      const answer = await app.call(token, 'POST', 'passkeys', body);
      if (place.tokens === 'jwt') {
        expect([outcomeOf(answer), await app.countOf(user)]).toEqual(['50100', 0]);
      } else {
        expect(outcomeOf(answer)).toBe('201');
        expect([await app.stateOf(answer.json.token), await second.stateOf(other)]).toEqual(['live', over]);
        expect(app.heard('sessions-ended', user)).toMatchObject([{ detail: 'all others' }]);
      }
    });

    it('are gone with their user', async () => {
      await app.add(token);
      expect(await call('DELETE', `users/${user.id}`, undefined, await app.adminToken())).toBe('204');
      const userId = String(user.id);
      expect(await app.rowsOf(AuthPasskey).countBy({ userId })).toBe(0);
      expect(await app.rowsOf(AuthPasskeyUser).countBy({ userId })).toBe(0);
    });

    it('are listed and removed by administrators, which ends the sessions of the user', async () => {
      const admin = await app.adminToken();
      const first = await app.add(token, fake(), { name: 'Phone' });
      const { json } = await app.add(first.json.token, fake(), { name: 'Key' });
      const path = `users/${user.id}/passkeys`;
      const list = await app.call(admin, 'GET', path);
      expect([list.status, list.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(Object.keys(list.json[0]).sort()).toEqual(
        ['id', 'name', 'createdAt', 'lastUsedAt', 'backedUp', 'deviceType', 'transports'].sort(),
      );
      const reader = await app.tokenOf(
        await app.user({ roles: [await app.role({ permissions: ['auth:user:read'] })] }),
      );
      expect(await call('GET', path, undefined, reader)).toBe('200');
      expect(await call('DELETE', path, undefined, reader)).toBe('40300');
      const helper = await app.tokenOf(
        await app.user({ roles: [await app.role({ permissions: ['auth:user:*'] })] }),
      );
      const { id: chief } = await app.administrator();
      expect(await call('DELETE', `users/${chief}/passkeys`, undefined, helper)).toBe('40300');
      expect(await call('DELETE', `${path}/x`, undefined, admin)).toBe('40400');
      expect(await app.stateOf(json.token)).toBe('live');
      expect(await call('DELETE', `${path}/${json.id}`, undefined, admin)).toBe('204');
      expect([await app.countOf(user), await second.stateOf(json.token)]).toEqual([1, over]);
      expect(await call('DELETE', path, undefined, admin)).toBe('204');
      expect(await app.countOf(user)).toBe(0);
      await app.users.update({ id: user.id }, { status: AuthUserStatus.DISABLED });
      expect(await call('GET', path, undefined, admin)).toBe('40400');
      expect(await call('DELETE', path, undefined, admin)).toBe('40400');
      expect(app.heard('passkey-removed', user)).toMatchObject([
        { actor: 'admin', subject: user.username, detail: 'Key', endedSessions: 'all' },
        { actor: 'admin', subject: user.username, detail: 'all 1', endedSessions: 'all' },
      ]);
    });
  });
}
