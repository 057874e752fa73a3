/** @own-context because TypeORM creates the tables of all applications of a context */
import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule } from 'kit-auth';
import { KitAuthUserListModule } from 'kit-auth-admin';
import { PASSWORD, sharedTestApp } from 'test-support';
import { ConsoleApp, type ConsoleAppOptions } from './app.js';
import { modulePage } from './module-page.js';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 4);
const OWN_USERS: ConsoleAppOptions = {
  admin: false,
  extras: ['audit', 'keys'],
  core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } }),
};

/** A user who has a key, one who is disabled, an auditor, and an administrator. */
async function moveIn(app: ConsoleApp): Promise<void> {
  const users = app.get(OwnUsers);
  users.insert({ id: 'usr_ada', name: 'Ada', hash: HASH, permissions: '["note:read"]' });
  users.insert({ id: 'usr_eve', name: 'Eve', hash: HASH, permissions: '["auth:audit:read"]' });
  users.insert({ id: 'usr/bob', name: 'Bob', hash: HASH, active: 0 });
  users.insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
  await app.call(await app.tokenOf('Ada'), 'POST', 'keys', { name: 'Export', abilities: ['note:read'] });
}

describe('the console of an application with its own users', () => {
  const app = sharedTestApp(new ConsoleApp({ ...OWN_USERS, platform: 'express' }));
  beforeAll(() => moveIn(app));

  it('has the sections that exist', async () => {
    const { json } = await app.call(await app.tokenOf('chief'), 'GET', 'console');
    expect(json).toMatchObject({
      user: { userId: 'usr_root', superAdmin: true },
      sections: {
        users: [],
        roles: [],
        sessions: [],
        keys: ['read', 'end'],
        audit: ['read'],
        invitations: [],
      },
      idType: 'string',
      freshAdmin: false,
    });
    expect(json.features).toEqual(expect.arrayContaining(['keys', 'keys-end', 'key-end', 'audit']));
    expect(json.features).not.toContain('users');
  });

  it.each(['Ada', 'usr_ada'])('opens a user by the name or the id %s', async (name) => {
    const page = await modulePage(app, await app.tokenOf('chief'));
    await page.press('Users');
    page.fill({ name });
    await page.submit();
    expect([page.path, page.texts('main nav.tabs a')]).toEqual([
      'users/usr_ada',
      ['Account', 'API keys', 'Events'],
    ]);
    await page.press('API keys');
    expect(page.texts('tbody th')).toEqual(['Export']);
    expect(page.refused).toEqual([]);
  });
});

describe('the console of an application with its own users and their list', () => {
  const app = sharedTestApp(
    new ConsoleApp({ ...OWN_USERS, platform: 'fastify', imports: [KitAuthUserListModule] }),
  );
  beforeAll(() => moveIn(app));

  it('lists users by their status, enables and disables them, and ends their keys', async () => {
    const page = await modulePage(app, await app.tokenOf('chief'));
    expect(page.texts('header nav a')).toEqual(['Users', 'Audit log', 'Your account']);
    await page.go('users');
    const names = () => page.texts('tbody th a');
    expect(names()).toEqual(expect.arrayContaining(['Ada', 'Bob', 'chief']));
    expect(page.all('main [name=q], main [name=role]')).toEqual([]);
    page.fill({ status: 'DISABLED' });
    page.find('#filter-status').fire('change');
    await page.settle();
    expect([page.path, names()]).toEqual(['users?status=DISABLED', ['Bob']]);

    await page.press('Bob');
    expect(page.texts('main nav.tabs a')).toEqual(['Account', 'Sessions', 'API keys', 'Events']);
    await page.press('Enable');
    expect(page.texts('main .tag.good')).toEqual(['Active']);
    await page.press('Disable');
    await page.submit();
    expect(page.texts('main .tag.bad')).toEqual(['Disabled']);
    expect(await app.get(OwnUsers).loadLoginUser('usr/bob' as never)).toBeUndefined();

    await page.go('users/usr_ada/keys');
    await page.press('Revoke');
    await page.submit();
    expect(page.texts('.notice.good')).toEqual(['The key is revoked.']);
    expect([page.texts('tbody th'), page.refused]).toEqual([[], []]);
  });
});
