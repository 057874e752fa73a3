import { describe, expect, it, jest } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { KitAuthFactorsModule, type KitAuthFactorsOptions } from 'kit-auth-factors';
import { AuthTotp } from 'kit-auth-factors/typeorm';
import {
  CapableUsersModule,
  freezeDate,
  PlainProviderModule,
  PlainUsersModule,
  sharedDatabase,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { codeOf, FactorsApp, KEY, outcomeOf, STEP_MS } from './app.js';

const withFactors = (factors: KitAuthFactorsOptions, rest: TestAppOptions = {}) =>
  testApp({ ...rest, imports: [KitAuthFactorsModule.forRoot(factors), ...(rest.imports ?? [])] });
const OPTIONS = { keys: [KEY], issuer: 'Example' };

describe('start-up with kit-auth-factors', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['without keys', () => withFactors({ issuer: 'Example' }), /kit\.auth\.factors\.keys is missing/],
    ['with no key', () => withFactors({ ...OPTIONS, keys: [] }), /kit\.auth\.factors\.keys is missing/],
    [
      'with a key of 31 bytes',
      () => withFactors({ ...OPTIONS, keys: [KEY, 'k'.repeat(31)] }),
      /kit\.auth\.factors\.keys must have at least 32 bytes/,
    ],
    ['without an issuer', () => withFactors({ keys: [KEY] }), /kit\.auth\.factors\.issuer is missing/],
    [
      'with tokens that keep no proof',
      () => withFactors(OPTIONS, { provider: PlainProviderModule }),
      /kit-auth-factors cannot be used with plain: its tokens do not record/,
    ],
    [
      'with a user store that finds nobody by name',
      () => withFactors(OPTIONS, { core: KitAuthModule.forRoot({ users: PlainUsersModule }) }),
      /kit-auth-factors needs a user store with the method findByUsername, stampOf, which PlainUsers lacks/,
    ],
    [
      'with two imports',
      () => withFactors(OPTIONS, { imports: [KitAuthFactorsModule.forRoot(OPTIONS)] }),
      /There is more than one KitAuthFactorsModule\.forRoot\(\)/,
    ],
    [
      'without its tables',
      () =>
        withFactors(OPTIONS, {
          database: { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true },
          core: KitAuthModule.forRoot({ users: CapableUsersModule }),
        }),
      /the table auth_(one_time|totp|recovery_code) is missing/,
    ],
  ])('fails %s', async (_how, start, message) => {
    const starting = start();
    await expect(starting).rejects.toThrow(message);
    const text = await starting.catch(String);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/(kit\.auth\.factors\.\w+) .*\1/); // said twice
  });

  it('takes its options from forRootAsync', async () => {
    const imports = [KitAuthFactorsModule.forRootAsync({ useFactory: async () => OPTIONS })];
    const app = await testApp({ imports });
    expect((await app.call(await app.adminToken(), 'GET', 'factors')).status).toBe(200);
  });

  it('answers 404 while kit.auth.enabled is false, and needs nothing', async () => {
    const app = await testApp({
      database: false,
      core: KitAuthModule.forRoot({ enabled: false, users: PlainUsersModule }),
      imports: [KitAuthFactorsModule.forRoot(OPTIONS)],
    });
    expect((await app.call(undefined, 'POST', 'login/factor', {})).status).toBe(404);
    expect((await app.call(undefined, 'GET', 'factors')).status).toBe(404);
  });
});

describe('the keys of kit-auth-factors', () => {
  const OLD = 'an old key of at least 32 bytes, for tests';
  const NEW = 'a new key of at least 32 bytes, for tests';

  it('can be replaced: the first one seals, all of them open', async () => {
    const database = sharedDatabase('sqlite');
    await database.recreate();
    const start = (keys: string[]) => new FactorsApp({ database, factors: { keys } }).start();
    const pass = freezeDate();
    const before = await start([OLD]);
    const [user, other] = [await before.enrolled(), await before.enrolled()];
    pass(STEP_MS);
    const both = await start([NEW, OLD]);
    expect(await both.outcomeOfLogin(user, codeOf(user.device))).toBe('200');
    const renewed = await both.enrolled();
    pass(STEP_MS);
    const after = await start([NEW]);
    expect(await after.outcomeOfLogin(renewed, codeOf(renewed.device))).toBe('200');
    expect(await after.outcomeOfLogin(other, codeOf(other.device))).toBe('50300');
    expect(after.logs.all()).toContain(other.device.id);
    expect(await after.outcomeOfLogin(other, other.recoveryCodes[0], 'recovery')).toBe('200');
    expect(outcomeOf(await before.answer(await before.challenge(renewed), codeOf(renewed.device, 1)))).toBe(
      '50300',
    );
    const { secret } = await after.rowsOf(AuthTotp).findOneByOrFail({ id: renewed.device.id });
    expect(secret).not.toContain(renewed.device.secret);
    jest.useRealTimers();
  });
});
