import { describe, expect, it } from '@jest/globals';
import { AUTH_USER_STORE, AuthEvents, type AuthUserStore } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';
import { describeUserStore } from 'kit-auth-testing';
import { type DatabaseName, sharedTestApp } from 'test-support';

/** The conformance suite with the default user store. */
export function describeDefaultUserStore(database: DatabaseName): void {
  describe(`users on ${database}`, () => {
    const app = sharedTestApp({ database });
    describeUserStore(
      'of TypeORM',
      {
        methods: [
          'usernameOf',
          'isUsernameTaken',
          'stampOf',
          'renewStamp',
          'noteLogin',
          'renewHash',
          'changePassword',
          'ensureAdministrator',
          'slowestHash',
          'transaction',
          'createUser',
          'changeUsername',
          'grantsOf',
          'listUsers',
          'disableUser',
          'enableUser',
        ],
      },
      () => ({
        store: app.get<AuthUserStore>(AUTH_USER_STORE),
        createUser: async ({ username, passwordHash, enabled }) => {
          const status = enabled ? AuthUserStatus.ENABLED : AuthUserStatus.DISABLED;
          return (await app.users.save({ username, nickname: username, passwordHash, status, roles: [] })).id;
        },
      }),
    );

    it('give a name to one of many who ask at the same time, and 40900 to the others', async () => {
      const users = app.get(ActiveUserStore);
      const fields = { passwordHash: 'x', roles: [] };
      const oneOf = (name: string, i: number) => (i % 2 === 0 ? name : name.toUpperCase()); // the same to people
      const inserts = Array.from({ length: 10 }, (_, i) =>
        users.transaction(app.get(AuthEvents).begin(), (change) =>
          users.createUser(
            { username: oneOf('ada@example.org', i), nickname: `Ada ${i}`, ...fields },
            change,
          ),
        ),
      );
      expect((await outcomesOf(inserts)).toSorted()).toEqual([...Array<number>(9).fill(40900), 'ok']);
      const others = await Promise.all(Array.from({ length: 10 }, () => app.user()));
      const renames = others.map(({ id }, i) =>
        users.transaction(app.get(AuthEvents).begin(), (change) =>
          users.changeUsername(id, { username: oneOf('eve@example.org', i), seenStamp: '' }, change),
        ),
      );
      expect((await outcomesOf(renames)).toSorted()).toEqual([...Array<number>(9).fill(40900), 'ok']);
    });

    it('tell what roles grant with those that they include', async () => {
      const reader = await app.role({ code: 'reader', permissions: ['note:read'] });
      await app.role({ code: 'editor', permissions: ['note:write'], includes: [reader] });
      const users = app.get(ActiveUserStore);
      const { superAdmin, permissions = [] } = (await users.grantsOf(['editor'])) ?? {};
      expect([superAdmin, permissions.toSorted()]).toEqual([false, ['note:read', 'note:write']]);
      expect(await users.grantsOf([SUPER_ADMIN])).toMatchObject({ superAdmin: true });
      expect(await users.grantsOf(['editor', 'nobody'])).toBeUndefined();
      expect(await users.grantsOf(['Editor'])).toBeUndefined();
      const id = await users.transaction(app.get(AuthEvents).begin(), (change) =>
        users.createUser(
          { username: 'with roles', nickname: 'x', passwordHash: 'x', roles: ['editor'] },
          change,
        ),
      );
      expect(await users.loadLoginUser(id)).toMatchObject({ roles: ['editor', 'reader'] });
    });
  });
}

async function outcomesOf(changes: Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(changes);
  return settled.map((result) =>
    result.status === 'fulfilled'
      ? 'ok'
      : ((result.reason as { code?: unknown }).code ?? String(result.reason)),
  );
}
