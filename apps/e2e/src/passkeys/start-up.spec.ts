import { describe, expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthPasskeysModule, type KitAuthPasskeysOptions } from 'kit-auth-passkeys';
import {
  CapableUsersModule,
  PlainProviderModule,
  PlainUsersModule,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { ORIGIN, PasskeysApp } from './app.js';

const FACTORS = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' });
const OPTIONS = { rpId: 'example.com', rpName: 'Example' };
const withPasskeys = (passkeys: KitAuthPasskeysOptions, rest: TestAppOptions = {}) =>
  testApp({ ...rest, imports: [KitAuthPasskeysModule.forRoot(passkeys), ...(rest.imports ?? [])] });

describe('start-up with kit-auth-passkeys', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['without a domain', () => withPasskeys({ rpName: 'App' }), /kit\.auth\.passkeys\.rpId is missing/],
    [
      'with an origin of another domain',
      () => withPasskeys({ ...OPTIONS, origins: ['https://example.org'] }),
      /kit\.auth\.passkeys\.origins must have hosts that are example\.com/,
    ],
    [
      'with tokens that keep no proof',
      () => withPasskeys(OPTIONS, { provider: PlainProviderModule }),
      /kit-auth-passkeys cannot be used with plain: its tokens do not record/,
    ],
    [
      'with a user store without stamps',
      () => withPasskeys(OPTIONS, { core: KitAuthModule.forRoot({ users: PlainUsersModule }) }),
      /kit-auth-passkeys needs a user store with the method stampOf, which PlainUsers lacks/,
    ],
    [
      'with two imports',
      () => withPasskeys(OPTIONS, { imports: [KitAuthPasskeysModule.forRoot(OPTIONS)] }),
      /There is more than one KitAuthPasskeysModule\.forRoot\(\)/,
    ],
    [
      'without its tables',
      () =>
        withPasskeys(OPTIONS, {
          database: { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true },
          core: KitAuthModule.forRoot({ users: CapableUsersModule }),
        }),
      /the table auth_(one_time|passkey|passkey_user) is missing/,
    ],
    [
      'without a data source',
      () =>
        withPasskeys(OPTIONS, {
          database: false,
          core: KitAuthModule.forRoot({ users: CapableUsersModule }),
        }),
      /kit-auth-passkeys\/typeorm needs a data source of TypeORM for passkeys|kit-auth\/one-time needs a data source/,
    ],
  ])('fails %s', async (_how, start, message) => {
    await expect(start()).rejects.toThrow(message);
  });

  it.each([
    { how: 'without recovery codes', imports: [], lines: 1 },
    { how: 'with those of kit-auth-factors', imports: [FACTORS], lines: 0 },
  ])('$how warns $lines times of users who lose every passkey', async ({ imports, lines }) => {
    const app = await withPasskeys(OPTIONS, { imports });
    const warning = '[passkeys] a user who loses every passkey needs an administrator';
    expect(app.logs.lines.filter(({ text }) => text.includes(warning))).toHaveLength(lines);
  });

  it('takes its options from forRootAsync', async () => {
    const imports = [KitAuthPasskeysModule.forRootAsync({ useFactory: async () => OPTIONS })];
    const app = await testApp({ imports });
    expect((await app.call(await app.adminToken(), 'GET', 'passkeys')).status).toBe(200);
  });

  it('answers 404 while kit.auth.enabled is false, and needs nothing', async () => {
    const app = await testApp({
      database: false,
      core: KitAuthModule.forRoot({ enabled: false, users: PlainUsersModule }),
      imports: [KitAuthPasskeysModule.forRoot({ ...OPTIONS, related: true })],
    });
    expect((await app.call(undefined, 'POST', 'login/passkey/options', {})).status).toBe(404);
    expect((await app.call(undefined, 'GET', 'passkeys')).status).toBe(404);
    expect((await app.request('/.well-known/webauthn')).status).toBe(404);
  });
});

describe.each(['express', 'fastify'] as const)('related origins on %s', (platform) => {
  it('are listed for browsers, and may ask for passkeys', async () => {
    const other = 'https://example.org';
    const passkeys = { origins: [ORIGIN, other], related: true };
    const app = await new PasskeysApp({ platform, passkeys }).start();
    const { status, headers, json } = await app.request('/.well-known/webauthn');
    expect([status, headers['content-type'], json]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
      { origins: [other] },
    ]);
    const { passkey } = await app.registered({}, { origin: other });
    expect(await app.outcomeOfLogin(passkey)).toBe('200');
    expect(await app.outcomeOfLogin(passkey, { origin: ORIGIN })).toBe('200');
  });

  it('have their path whatever the global prefix is', async () => {
    const passkeys = { origins: [ORIGIN, 'https://example.org'], related: true };
    const app = await testApp({
      platform,
      imports: [KitAuthPasskeysModule.forRoot({ ...OPTIONS, ...passkeys })],
      configure: (nest) => nest.setGlobalPrefix('api'),
    });
    expect((await app.request('/.well-known/webauthn')).status).toBe(200);
    expect((await app.request('/api/.well-known/webauthn')).status).toBe(404);
  });

  it('are not served by default', async () => {
    const app = await new PasskeysApp({ platform }).start();
    expect((await app.request('/.well-known/webauthn')).status).toBe(404);
  });
});

describe('the counter of a passkey on a single device', () => {
  it("may stay with counters: 'note', which is an event", async () => {
    const app = await new PasskeysApp({ passkeys: { counters: 'note' } }).start();
    const user = await app.registered({}, { deviceType: 'single', counter: 5 });
    expect(await app.outcomeOfLogin(user.passkey, { counter: 5 })).toBe('200');
    expect(await app.outcomeOfLogin(user.passkey, { counter: 2 })).toBe('200');
    expect(app.heard('passkey-counter', user)).toHaveLength(2);
    expect((await app.row(user.passkey)).counter).toBe(5);
  });
});
