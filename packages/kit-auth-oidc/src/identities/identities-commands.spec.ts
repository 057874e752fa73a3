import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { builtApp, DECORATE, kitAuth } from 'test-support';
import { DataSource } from 'typeorm';
import { AuthIdentity } from '../stores/identity.tables.js';

const MODULE = `
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK, AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { google, KitAuthOidcModule } from 'kit-auth-oidc';
import { decorate } from './decorate.js';

const USERS = [{ id: 1, username: 'alice' }, { id: 2, username: 'bob' }];
class Store {
  async findByUsername(name) {
    const found = USERS.find(({ username }) => username === name);
    return found && { ...found, enabled: true, securityStamp: '' };
  }
  async loadLoginUser() {}
  async stampOf() {}
}
class UsersModule {}
decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Store }] }));
class Sink { async keep(event) { globalThis.noted.push([event.type, event.subject, event.actor, event.detail]); } }

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3', database: import.meta.dirname + '/app.sqlite', autoLoadEntities: true, synchronize: true,
    }),
    KitAuthModule.forRoot({ users: UsersModule }),
    KitAuthJwtModule,
    KitAuthOidcModule.forRoot({
      providers: [google({ clientId: 'app', clientSecret: 'secret' })],
      redirectBase: 'https://api.example.com',
      returnTo: ['https://app.example.com'],
    }),
  ],
  providers: [{ provide: AUTH_EVENT_SINK, useClass: Sink }],
}));
`;

const noted: unknown[] = [];

describe('kit-auth identities', () => {
  let cwd: string;
  let database: DataSource;
  const identities = (...args: string[]) => kitAuth(['identities', ...args], { cwd });

  beforeAll(async () => {
    Object.assign(globalThis, { noted }); // other specs of the context have one, too
    cwd = builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE });
    await identities('list', 'alice');
    const file = join(cwd, 'dist/app.sqlite');
    const options = { type: 'better-sqlite3' as const, database: file, entities: [AuthIdentity] };
    database = await new DataSource(options).initialize();
  });
  afterAll(() => database.destroy());
  beforeEach(async () => {
    await database.getRepository(AuthIdentity).clear();
    noted.splice(0);
  });

  async function given(userId: number, name: string): Promise<string> {
    const id = Buffer.from(name).toString('hex').padEnd(64, '0');
    await database.getRepository(AuthIdentity).insert({
      id,
      provider: 'google',
      issuer: 'https://accounts.google.com',
      subject: name,
      userId: String(userId),
      address: `${name}@example.com`,
      createdAt: Date.UTC(2026, 0, 2),
      lastUsedAt: null,
      version: 0,
    });
    return id;
  }

  it('lists the identities of a user', async () => {
    const id = await given(1, 'Phone');
    await given(2, 'OfBob');
    const { code, stdout, stderr } = await identities('list', 'alice');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'PROVIDER', 'ADDRESS', 'CREATED', 'LAST USED'],
      [id, 'google', 'Phone@example.com', '2026-01-02', 'never'],
      [''],
    ]);
    expect(JSON.parse((await identities('list', 'alice', '--json')).stdout)).toEqual([
      {
        id,
        provider: 'google',
        title: 'Google',
        address: 'Phone@example.com',
        createdAt: '2026-01-02T00:00:00.000Z',
        lastUsedAt: null,
      },
    ]);
  });

  it('removes one identity, with an event', async () => {
    const [one, other] = [await given(1, 'One'), await given(1, 'Other')];
    const { code, stdout } = await identities('remove', 'alice', one);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Removed the identity ${one} of alice.\n` });
    expect(noted).toEqual([['identity-removed', 'alice', null, 'google']]);
    expect(JSON.parse((await identities('list', 'alice', '--json')).stdout)).toMatchObject([{ id: other }]);
  });

  it('removes all identities of a user, and no other', async () => {
    const ids = [await given(1, 'One'), await given(1, 'Other')];
    const ofBob = await given(2, 'OfBob');
    const { stdout } = await identities('remove', 'alice', '--all', '--json');
    const { removed } = JSON.parse(stdout) as { removed: string[] };
    expect(removed.sort()).toEqual(ids.sort());
    noted.splice(0);
    const again = await identities('remove', 'alice', '--all');
    expect(again).toEqual({ code: 0, stdout: '', stderr: 'alice has no identities.\n' });
    expect(noted).toEqual([]); // nor did sessions end
    expect((await identities('list', 'bob')).stdout).toContain(ofBob);
  });

  it.each([
    [['list'], 2, 'Name a user: kit-auth identities list <username>'],
    [['list', 'carol'], 1, 'There is no user "carol".'],
    [['remove', 'alice'], 2, 'either the id of an identity or --all'],
    [['remove', 'alice', 'x', '--all'], 2, 'either the id of an identity or --all'],
    [['remove', 'alice', 'x'], 1, 'alice has no identity x. `kit-auth identities list alice` lists'],
  ])('refuses identities %j', async (args: string[], exitCode, message) => {
    const { code, stdout, stderr } = await identities(...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  });
});
