import { describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import bcrypt from 'bcrypt';
import { AUTH_USER_STORE, IllegalStateException, KitAuthModule } from 'kit-auth';
import { KitAuthAdminModule, KitAuthAuditModule, KitAuthUserListModule } from 'kit-auth-admin';
import { freezeDate, OpenApi, PASSWORD, PlainUsersModule, testApp } from 'test-support';
import { outcomeOf } from '../factors/app.js';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';
import { describeUserList } from './user-list.suite.js';

// On Fastify in `user-list.servers.spec.ts`: nothing here depends on the platform.
describeUserList({ platform: 'express', database: 'sqlite' });

/** Can list users, and not disable them. */
@Injectable()
class ReadOnlyUsers extends OwnUsers {
  override readonly disableUser = undefined as never;
}

@Module({ providers: [ReadOnlyUsers, { provide: AUTH_USER_STORE, useExisting: ReadOnlyUsers }] })
class ReadOnlyModule {}

const HOUR = 60 * 60_000;
const HASH = bcrypt.hashSync(PASSWORD, 10);
const core = (users: typeof OwnUsersModule, freshAdmin = true) =>
  KitAuthModule.forRoot({ users, password: { cost: 10 }, admin: { freshAdmin } });

describe('KitAuthUserListModule', () => {
  it('needs no data source, and has the audit log only where it is imported', async () => {
    const app = await testApp({
      core: core(OwnUsersModule),
      database: false,
      imports: [KitAuthUserListModule],
    });
    app.get(OwnUsers).insert({ name: 'chief', hash: HASH, roles: '["root"]' });
    const token = await app.tokenOf('chief');
    expect((await app.call(token, 'GET', 'users')).json.total).toBe(2);
    expect(await app.codeOf(token, '/v1/api/auth/audit')).toBe(404);
    expect(outcomeOf(await app.call(token, 'GET', 'users/1/sessions'))).toBe('40400');
  });

  it('needs no fresh logins with freshAdmin: false', async () => {
    const app = await testApp({
      core: core(OwnUsersModule, false),
      imports: [KitAuthUserListModule, KitAuthAuditModule],
      session: {},
    });
    const users = app.get(OwnUsers);
    const id = users.insert({ name: 'Ada', hash: HASH });
    users.insert({ name: 'chief', hash: HASH, roles: '["root"]' });
    freezeDate();
    const token = await app.tokenOf('chief');
    jest.setSystemTime(Date.now() + HOUR);
    const { json } = await app.call(token, 'PATCH', `users/${id}`, { status: 'DISABLED' });
    expect(json).toMatchObject({ status: 'DISABLED' });
    expect(outcomeOf(await app.call(token, 'DELETE', `users/${id}/sessions`))).toBe('204');
  });

  it('has no PATCH where the store cannot disable users', async () => {
    const app = await testApp({
      core: core(ReadOnlyModule),
      database: false,
      imports: [KitAuthUserListModule],
    });
    app.get(ReadOnlyUsers).insert({ id: 'x', name: 'chief', hash: HASH, roles: '["root"]' });
    const token = await app.tokenOf('chief');
    expect((await app.call(token, 'GET', 'users/x')).status).toBe(200);
    expect((await app.call(token, 'PATCH', 'users/x', { status: 'ENABLED' })).status).toBe(404);
    const { paths } = SwaggerModule.createDocument(app.nest, new DocumentBuilder().build());
    expect(Object.keys(paths['/v1/api/auth/users/{id}']!)).toEqual(['get']);
  });

  it('is described with the type of the ids, and answers as it says', async () => {
    const app = await testApp({
      core: core(OwnUsersModule),
      database: false,
      imports: [KitAuthUserListModule],
      session: { store: 'memory' },
    });
    app.get(OwnUsers).insert({ id: 'x', name: 'chief', hash: HASH, roles: '["root"]' });
    const token = await app.tokenOf('chief');
    const api = new OpenApi(app);
    const described = JSON.stringify(api.operation('GET users'));
    expect(described).toContain('"userId":{"type":"string"}');
    expect(described).toContain('"total":{"type":"integer","nullable":true}');
    expect(described).not.toContain('"name":"q"');
    for (const path of ['users', 'users/{id}', 'users/{id}/sessions']) {
      api.expectDescribed(`GET ${path}`, await app.call(token, 'GET', path.replace('{id}', 'x')));
    }
    const same = { status: 'ENABLED' };
    api.expectDescribed('PATCH users/{id}', await app.call(token, 'PATCH', 'users/x', same));
  });

  it('fails start-up beside KitAuthAdminModule', async () => {
    const starting = testApp({ imports: [KitAuthUserListModule, KitAuthAdminModule] });
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow('Remove KitAuthUserListModule');
  });

  it('fails start-up with a store that cannot list users', async () => {
    const starting = testApp({
      core: KitAuthModule.forRoot({ users: PlainUsersModule }),
      database: false,
      imports: [KitAuthUserListModule],
    });
    await expect(starting).rejects.toThrow(
      'KitAuthUserListModule needs a user store with the method listUsers, which PlainUsers lacks.',
    );
  });
});
