import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { builtApp, DECORATE, kitAuth } from 'test-support';
import { DataSource } from 'typeorm';
import { newKey } from './keys/key-token.js';
import { AuthApiKey } from './stores/auth-api-key.entity.js';
import { rowOf } from './stores/stored-key.js';

const DAY_MS = 24 * 60 * 60_000;

const MODULE = `
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK, AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { decorate } from './decorate.js';

const USERS = [{ id: 1, username: 'alice' }, { id: 2, username: 'bob' }];
class Store {
  async findByUsername(name) {
    const found = USERS.find(({ username }) => username === name);
    return found && { ...found, passwordHash: 'x', enabled: true, securityStamp: '' };
  }
  async loadLoginUser() {}
}
class UsersModule {}
decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Store }] }));
class Sink { async keep(event) { globalThis.kept.push([event.type, event.subject, event.actor, event.detail]); } }

export class AppModule {}
decorate(AppModule, Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3', database: import.meta.dirname + '/app.sqlite', autoLoadEntities: true, synchronize: true,
    }),
    KitAuthModule.forRoot({ users: UsersModule }),
    KitAuthJwtModule,
    KEYS
  ],
  providers: [{ provide: AUTH_EVENT_SINK, useClass: Sink }],
}));
`;

const kept: unknown[] = [];
Object.assign(globalThis, { kept });

const app = (keys = 'KitAuthKeysModule') =>
  builtApp({ 'dist/decorate.js': DECORATE, 'dist/app.module.js': MODULE.replace('KEYS', keys) });

describe('kit-auth keys', () => {
  let cwd: string;
  let database: DataSource;
  const keys = (...args: string[]) => kitAuth(['keys', ...args], { cwd });

  beforeAll(async () => {
    cwd = app();
    await keys('list', 'alice');
    const file = join(cwd, 'dist/app.sqlite');
    const options = { type: 'better-sqlite3' as const, database: file, entities: [AuthApiKey] };
    database = await new DataSource(options).initialize();
  });
  afterAll(() => database.destroy());
  beforeEach(async () => {
    await database.getRepository(AuthApiKey).clear();
    kept.splice(0);
  });

  async function given(userId: number, name: string, expiresAt: Date | null = null) {
    const { id, key } = newKey();
    const times = { createdAt: new Date(Date.UTC(2026, 0, 2)), expiresAt };
    const abilities = ['note:read', 'note:write'];
    const row = rowOf({ id, userId, name, abilities, secondFactor: false, hash: 'x'.repeat(64), ...times });
    await database.getRepository(AuthApiKey).insert(row);
    return { id, key };
  }

  it('lists the live keys of a user', async () => {
    const { id } = await given(1, 'Backup');
    await given(1, 'Old', new Date(Date.now() - DAY_MS));
    await given(2, 'Of another user');
    const { code, stdout, stderr } = await keys('list', 'alice');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'NAME', 'ABILITIES', 'CREATED', 'EXPIRES', 'LAST USED'],
      [id, 'Backup', 'note:read note:write', '2026-01-02', 'never', 'never'],
      [''],
    ]);
    expect(JSON.parse((await keys('list', 'alice', '--json')).stdout)).toEqual([
      {
        ...{ id, name: 'Backup', abilities: ['note:read', 'note:write'], expiresAt: null },
        ...{ createdAt: '2026-01-02T00:00:00.000Z', lastUsedAt: null, lastAddress: null },
      },
    ]);
  });

  it('ends one key, with an event', async () => {
    const [one, other] = [await given(1, 'One'), await given(1, 'Other')];
    const { code, stdout } = await keys('end', 'alice', one.id);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Ended the key ${one.id} of alice.\n` });
    expect(kept).toEqual([['key-ended', 'alice', null, one.id]]);
    expect((await keys('list', 'alice')).stdout).not.toContain(one.id);
    expect((await keys('list', 'alice')).stdout).toContain(other.id);
  });

  it('ends a key that has leaked, without repeating it', async () => {
    const { id, key } = await given(1, 'Leaked');
    const { stdout } = await keys('end', 'alice', key);
    expect(stdout).toBe(`Ended the key ${id} of alice.\n`);
    const damaged = await keys('end', 'alice', key.slice(0, -1));
    expect(damaged).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('alice has no key of this id.'),
    });
    expect(damaged.stderr).not.toContain(key.slice(0, 30));
  });

  it('ends all keys of a user', async () => {
    const [one, other] = [await given(1, 'One'), await given(1, 'Other')];
    const ofBob = await given(2, 'Of bob');
    const { stdout } = await keys('end', 'alice', '--all', '--json');
    const { ended } = JSON.parse(stdout) as { ended: string[] };
    expect(ended.sort()).toEqual([one.id, other.id].sort());
    expect(await keys('end', 'alice', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'alice has no keys.\n',
    });
    expect((await keys('list', 'bob')).stdout).toContain(ofBob.id);
  });

  it('does not end the key of another user', async () => {
    const { id } = await given(2, 'Of bob');
    const { code, stderr } = await keys('end', 'alice', id);
    expect(code).toBe(1);
    expect(stderr).toContain(`alice has no live key ${id}. \`kit-auth keys list alice\` lists the keys.`);
    expect((await keys('list', 'bob')).stdout).toContain(id);
  });

  it.each([
    [['list'], 2, 'Name a user: kit-auth keys list <username>'],
    [['list', 'carol'], 1, 'There is no user "carol".'],
    [['end', 'alice'], 2, 'either the id of a key or --all'],
    [['end', 'alice', 'x', '--all'], 2, 'either the id of a key or --all'],
    [[], 2, 'Which of these commands?\n  kit-auth keys list <username> [options]\n  kit-auth keys end'],
  ])('refuses keys %j', async (args: string[], exitCode, message) => {
    const { code, stdout, stderr } = await keys(...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  });
});

describe('kit-auth keys in an application without the package', () => {
  it('names the module', async () => {
    const { code, stderr } = await kitAuth(['keys', 'list', 'alice'], { cwd: app('') });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'kit-auth: The command "keys" needs KitAuthKeysModule of \'kit-auth-keys\', which the application does not import.\n',
    );
  });
});
