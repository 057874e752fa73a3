import { beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, sharedTestApp, until, type Where } from 'test-support';
import { AdminApp } from './app.js';

/** Names of all languages, found again on every database. */
export function describeTexts({ database, platform, provider }: Where): void {
  describe(`names on ${database}, ${platform}, with ${provider}`, () => {
    const app = sharedTestApp(new AdminApp({ database, platform, provider }));
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });

    const found = async (query: Record<string, string>, path = 'users') =>
      (await app.call(admin, 'GET', `${path}?${new URLSearchParams(query).toString()}`)).json;
    const idsOf = async (q: string): Promise<number[]> =>
      (await found({ q })).items.map(({ userId }: { userId: number }) => userId);

    it.each([
      ['Émile', ['émile', 'e\u0301MILE', 'mil']],
      ['Weißbier', ['WEISSBIER', 'WEIẞBIER']],
      ['\u{1f469}\u200d\u{1f4bb} dev', ['\u{1f469}\u200d\u{1f4bb}', 'DEV']],
      ['100%_o!f\\it', ['100%_O', '_o!', 'f\\I', '%']],
    ])('finds %s in any case', async (nickname, queries) => {
      const user = await app.user({ nickname });
      for (const q of queries) {
        expect([q, await idsOf(q)]).toEqual([q, [user.id]]);
      }
      await app.users.delete(user.id);
    });

    it.each(['\u0639\u0644\u06cc\u200c\u0631\u0636\u0627', '\u{1f469}\u200d\u{1f4bb}', 'Zoe\u0308'])(
      'keeps %j in the audit log, and finds the name there',
      async (username) => {
        const made = await app.call(admin, 'POST', 'users', { username, password: PASSWORD });
        expect(made.status).toBe(201);
        const token = await app.tokenOf({ username });
        await app.call(token, 'GET', 'users');
        // Nobody waits for the record of what changes nothing.
        const audit = (query: Record<string, string>, count: number) =>
          until(async () => {
            const { items } = await found(query, 'audit');
            return items.length >= count ? items : undefined;
          });
        const about = { subject: username };
        expect(await audit(about, 2)).toMatchObject([
          { type: 'login', ...about },
          { type: 'user-created', ...about },
        ]);
        const by = { actor: username };
        expect(await audit(by, 1)).toMatchObject([{ type: 'access-denied', ...by }]);
        await app.users.delete({ username });
      },
    );

    it('finds nothing for a text that no row can hold', async () => {
      const odd = '\u{1f600}\u0416';
      for (const path of ['users?role=', 'users?status=', 'users?q=', 'audit?actor=', 'audit?type=']) {
        const { status, json } = await app.call(admin, 'GET', path + encodeURIComponent(odd));
        expect([path, status, json.total]).toEqual([path, 200, 0]);
      }
      expect((await app.login(odd)).json.code).toBe(40110);
      for (const id of [encodeURIComponent(odd), '%00']) {
        for (const path of ['sessions/', 'users/1/sessions/']) {
          const { status } = await app.call(admin, 'DELETE', path + id);
          expect([id, path, status]).toEqual([id, path, provider === 'jwt' ? 501 : 404]);
        }
        expect((await app.call(admin, 'PATCH', `roles/${id}`, { name: 'x' })).status).toBe(404);
      }
    });
  });
}
