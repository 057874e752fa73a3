import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { builtApp, DECORATE, kitAuth } from 'test-support';
import { DataSource } from 'typeorm';
import { AuthPasskey } from '../stores/auth-passkey.entity.js';

const MODULE = `
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK, AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
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
    KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
  ],
  providers: [{ provide: AUTH_EVENT_SINK, useClass: Sink }],
}));
`;

const noted: unknown[] = [];

describe('kit-auth passkeys', () => {
  let cwd: string;
  let database: DataSource;
  const passkeys = (...args: string[]) => kitAuth(['passkeys', ...args], { cwd });

  beforeAll(async () => {
    Object.assign(globalThis, { noted }); // other specs of the context have one, too
    cwd = builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE });
    await passkeys('list', 'alice');
    const file = join(cwd, 'dist/app.sqlite');
    const options = { type: 'better-sqlite3' as const, database: file, entities: [AuthPasskey] };
    database = await new DataSource(options).initialize();
  });
  afterAll(() => database.destroy());
  beforeEach(async () => {
    await database.getRepository(AuthPasskey).clear();
    noted.splice(0);
  });

  async function given(userId: number, name: string): Promise<string> {
    const id = Buffer.from(name).toString('hex').padEnd(64, '0');
    const key = { credentialId: name, publicKey: 'AAAA', algorithm: -7, counter: 0, aaguid: '', version: 0 };
    const device = { deviceType: 'multi' as const, backedUp: true, transports: 'internal' };
    const times = { createdAt: Date.UTC(2026, 0, 2), lastUsedAt: null };
    const row = { id, userId: String(userId), name, ...key, ...device, ...times };
    await database.getRepository(AuthPasskey).insert(row);
    return id;
  }

  it('lists the passkeys of a user', async () => {
    const id = await given(1, 'Phone');
    await given(2, 'OfBob');
    const { code, stdout, stderr } = await passkeys('list', 'alice');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'NAME', 'DEVICES', 'BACKED UP', 'CREATED', 'LAST USED'],
      [id, 'Phone', 'multi', 'yes', '2026-01-02', 'never'],
      [''],
    ]);
    const times = { createdAt: '2026-01-02T00:00:00.000Z', lastUsedAt: null };
    const device = { backedUp: true, deviceType: 'multi', transports: ['internal'] };
    expect(JSON.parse((await passkeys('list', 'alice', '--json')).stdout)).toEqual([
      { id, name: 'Phone', ...times, ...device },
    ]);
  });

  it('removes one passkey, with an event', async () => {
    const [one, other] = [await given(1, 'One'), await given(1, 'Other')];
    const { code, stdout } = await passkeys('remove', 'alice', one);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Removed the passkey ${one} of alice.\n` });
    expect(noted).toEqual([['passkey-removed', 'alice', null, 'One']]);
    expect(JSON.parse((await passkeys('list', 'alice', '--json')).stdout)).toMatchObject([{ id: other }]);
  });

  it('removes all passkeys of a user, and no other', async () => {
    const ids = [await given(1, 'One'), await given(1, 'Other')];
    const ofBob = await given(2, 'OfBob');
    const { stdout } = await passkeys('remove', 'alice', '--all', '--json');
    const { removed } = JSON.parse(stdout) as { removed: string[] };
    expect(removed.sort()).toEqual(ids.sort());
    noted.splice(0);
    expect(await passkeys('remove', 'alice', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'alice has no passkeys.\n',
    });
    expect(noted).toEqual([]); // nor did sessions end
    expect((await passkeys('list', 'bob')).stdout).toContain(ofBob);
  });

  it.each([
    [['list'], 2, 'Name a user: kit-auth passkeys list <username>'],
    [['list', 'carol'], 1, 'There is no user "carol".'],
    [['remove', 'alice'], 2, 'either the id of a passkey or --all'],
    [['remove', 'alice', 'x', '--all'], 2, 'either the id of a passkey or --all'],
    [['remove', 'alice', 'x'], 1, 'alice has no passkey x. `kit-auth passkeys list alice` lists'],
  ])('refuses passkeys %j', async (args: string[], exitCode, message) => {
    const { code, stdout, stderr } = await passkeys(...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  });
});
