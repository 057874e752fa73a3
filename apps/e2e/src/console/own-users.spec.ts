/** @own-context because TypeORM creates the tables of all applications of a context */
import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule } from 'kit-auth';
import { BOTH, PASSWORD, sharedTestApp } from 'test-support';
import { ConsoleApp } from './app.js';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';

const HASH = bcrypt.hashSync(PASSWORD, 10);

describe.each(BOTH)('the console of an application with its own users on %s', (platform) => {
  const app = sharedTestApp(
    new ConsoleApp({
      platform,
      admin: false,
      extras: ['audit', 'keys'],
      core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } }),
    }),
  );
  beforeAll(() => {
    const users = app.get(OwnUsers);
    users.insert({ id: 'usr_ada', name: 'Ada', hash: HASH, permissions: '["auth:audit:read"]' });
    users.insert({ id: 'usr_bob', name: 'Bob', hash: HASH, permissions: '["note:read"]' });
    users.insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
  });

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

  it('knows their permissions', async () => {
    const { json } = await app.call(await app.tokenOf('Ada'), 'GET', 'console');
    expect([json.sections.audit, json.sections.keys]).toEqual([['read'], []]);
    expect(await app.codeOf(await app.tokenOf('Bob'), '/v1/api/auth/console')).toBe(40300);
  });
});
