import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freezeDate, sqliteInMemory } from 'test-support';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { kitAuthEntities } from './identity.tables.js';
import { type EndedAtProvider, ProviderLogins } from './provider-logins.js';

const ISSUER = 'https://login.example.com';

describe('the logins with providers', () => {
  let dataSource: DataSource;
  let logins: ProviderLogins;
  let pass: (milliseconds: number) => void;
  beforeAll(async () => {
    const options = { ...sqliteInMemory(), entities: kitAuthEntities, synchronize: true };
    dataSource = await new DataSource(options as DataSourceOptions).initialize();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    await dataSource.synchronize(true);
    logins = new ProviderLogins({ enabled: true }, dataSource);
    pass = freezeDate();
  });

  it('use up a logout token once, also at once', async () => {
    const end = Date.now() + 1000;
    const uses = ['a', 'a', 'b'].map((jti) => logins.useUp(ISSUER, jti, end));
    expect(await Promise.all(uses)).toEqual([true, false, true]);
    expect(await logins.isUsed(ISSUER, 'a')).toBe(true);
    expect(await logins.isUsed('https://other.example.com', 'a')).toBe(false);
    expect(await logins.useUp(ISSUER, 'b', end)).toBe(false);
  });

  it.each<[string, Omit<EndedAtProvider, 'issuer'>, boolean]>([
    ['its session', { sid: 'one' }, true],
    ['its identity', { subject: 'ada' }, true],
    ['its session of this identity', { sid: 'one', subject: 'ada' }, true],
    ['another session', { sid: 'two' }, false],
    ['another identity', { subject: 'eve' }, false],
    ['its session of another identity', { sid: 'one', subject: 'eve' }, false],
    ['another session of its identity', { sid: 'two', subject: 'ada' }, false],
  ])('end with a logout of %s, unless they have begun later', async (_which, ended, isEnded) => {
    const login = { issuer: ISSUER, sub: 'ada', sid: 'one' };
    const begun = Date.now();
    await logins.logOut({ issuer: ISSUER, ...ended });
    expect(await logins.isLoggedOut(login, begun)).toBe(isEnded);
    expect(await logins.isLoggedOut(login, begun + 1)).toBe(false);
    expect(await logins.isLoggedOut({ ...login, issuer: 'https://other.example.com' }, begun)).toBe(false);
    pass(1000);
    await logins.logOut({ issuer: ISSUER, ...ended });
    expect(await logins.isLoggedOut(login, begun + 1)).toBe(isEnded);
  });
});
