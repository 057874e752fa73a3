import { describe } from '@jest/globals';
import { AUTH_USER_STORE, type AuthUserStore } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
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
          ...(['stampOf', 'noteLogin', 'renewHash', 'changePassword', 'ensureAdministrator'] as const),
          ...(['slowestHash', 'transaction'] as const),
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
  });
}
