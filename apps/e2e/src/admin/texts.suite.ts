import { beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, sharedTestApp, type Where } from 'test-support';
import { AdminApp } from './app.js';

/** Names of all languages, found again on every database. */
export function describeTexts({ database, platform, provider }: Where): void {
  describe(`names on ${database}, ${platform}, with ${provider}`, () => {
    const app = sharedTestApp(new AdminApp({ database, platform, provider }));
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });

    const list = async (query: Record<string, string>) =>
      (await app.call(admin, 'GET', `users?${new URLSearchParams(query).toString()}`)).json;
    const found = async (q: string): Promise<number[]> =>
      (await list({ q })).items.map(({ userId }: { userId: number }) => userId);

    it.each([
      ['Émile', ['Émile', 'émile', 'ÉMILE', 'éMiLe', 'E\u0301mile', 'e\u0301MILE', 'mil', 'É']],
      ['E\u0301loi', ['Éloi', 'éloi', 'e\u0301loi', 'E\u0301LOI']],
      ['ЖУК', ['ЖУК', 'жук', 'Жук', 'жУ']],
      ['İnci', ['İnci', 'inci', 'INCI', 'İNCİ', 'i\u0307nci', 'I\u0307NCI']],
      ['ışıklı', ['ışıklı', 'IŞIKLI', 'Işıklı']],
      ['Weißbier', ['weißbier', 'WEISSBIER', 'WEIẞBIER', 'Weissbier']],
      ['Οδυσσευς', ['Οδυσσευς', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευσ', 'ευς', 'ΕΥΣ']],
      ['山田\u3000太郎', ['山田', '\u3000太']],
      ['ＡＤＡ', ['ａｄａ', 'ＡＤＡ']],
      ['ﬁona', ['FIONA', 'ﬁona', 'fiona']],
      ['\u{1f469}\u200d\u{1f4bb} dev', ['\u{1f469}\u200d\u{1f4bb}', 'DEV']],
      ['\u{10428}eseret', ['\u{10400}ESERET']],
      ['100%_o!f\\it', ['100%_O', '_o!', 'f\\I', '%']],
    ])('finds %s in any case', async (nickname, queries) => {
      const user = await app.user({ nickname });
      for (const q of queries) {
        expect([q, await found(q)]).toEqual([q, [user.id]]);
      }
      await app.users.delete(user.id);
    });

    it('finds usernames like nicknames, and tells accents apart', async () => {
      const user = await app.user({ username: 'ÖZGÜR', nickname: 'x' });
      expect(await found('özgür')).toEqual([user.id]);
      for (const q of ['ozgur', 'ÖZG%R', 'ÖZG_R', 'o\u0308zgur']) {
        expect([q, await found(q)]).toEqual([q, []]);
      }
      await app.users.delete(user.id);
    });

    it('returns the matches in pages, with their total', async () => {
      const role = await app.role();
      const ids: number[] = [];
      for (let i = 0; i < 5; i++) {
        ids.push((await app.user({ roles: i < 4 ? [role] : [], nickname: `Ådne ${i}` })).id);
      }
      const page = async (query: Record<string, string>) => {
        const { items, total } = await list({ q: 'åDNE', ...query });
        return [items.map(({ userId }: { userId: number }) => userId), total];
      };
      expect(await page({})).toEqual([ids, 5]);
      expect(await page({ size: '2', page: '2' })).toEqual([ids.slice(2, 4), 5]);
      expect(await page({ size: '2', page: '4' })).toEqual([[], 5]);
      expect(await page({ role: role.code, size: '3', page: '2' })).toEqual([ids.slice(3, 4), 4]);
      expect(await page({ status: 'DISABLED' })).toEqual([[], 0]);
    });

    it.each([
      ['a zero-width non-joiner', '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'],
      ['a zero-width joiner', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
      ['an emoji of several', '\u{1f469}\u200d\u{1f4bb}'],
      ['tag characters', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
      ['marks of direction', 'a\u200e\u05d0\u200f'],
      ['combining characters', 'Zoe\u0308'],
    ])('keeps %s in the audit log, and finds the name there', async (_what, username) => {
      const made = await app.call(admin, 'POST', 'users', { username, password: PASSWORD });
      expect(made.status).toBe(201);
      const token = await app.tokenOf({ username });
      await app.call(token, 'GET', 'users');
      // Nobody waits for the record of what changes nothing.
      const audit = async (query: Record<string, string>, expected: number) => {
        let items: any[] = [];
        for (let tries = 0; tries < 100 && items.length < expected; tries++) {
          items = (await app.call(admin, 'GET', `audit?${new URLSearchParams(query).toString()}`)).json.items;
        }
        return items;
      };
      const about = await audit({ subject: username }, 2);
      expect(about.map(({ type, subject }: any) => [type, subject])).toEqual([
        ['login', username],
        ['user-created', username],
      ]);
      expect(await audit({ actor: username }, 1)).toMatchObject([{ type: 'access-denied', actor: username }]);
    });

    it('finds a name in the audit log although characters of it are replaced there', async () => {
      const user = await app.user({ username: 'evil\u202ename\r\n[auth] fake' });
      await app.call(admin, 'PATCH', `users/${user.id}`, { nickname: 'Evil' });
      const query = new URLSearchParams({ subject: user.username });
      const { items } = (await app.call(admin, 'GET', `audit?${query.toString()}`)).json;
      expect(items).toMatchObject([{ type: 'user-changed', subject: 'evil?name??[auth] fake' }]);
      await app.users.delete(user.id);
    });

    it('finds nothing for a text that no row can hold', async () => {
      const odd = '\u{1f600}\u0416';
      for (const path of ['users?role=', 'users?status=', 'users?q=', 'audit?actor=', 'audit?type=']) {
        const { status, json } = await app.call(admin, 'GET', path + encodeURIComponent(odd));
        expect([path, status, json.total]).toEqual([path, 200, 0]);
      }
      expect((await app.login(odd)).json.code).toBe(40110);
      for (const id of [encodeURIComponent(odd), '%00']) {
        for (const path of ['sessions/', 'users/1/sessions/']) {
          expect([id, path, await app.call(admin, 'DELETE', path + id)]).toMatchObject([
            id,
            path,
            { status: provider === 'jwt' ? 501 : 404 },
          ]);
        }
        expect((await app.call(admin, 'PATCH', `roles/${id}`, { name: 'x' })).status).toBe(404);
      }
    });
  });
}
