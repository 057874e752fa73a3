import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { PASSWORD, SERVERS, sharedDatabase } from 'test-support';
import { AdminApp } from './app.js';
import { describeRoles } from './roles.suite.js';
import { describeTexts } from './texts.suite.js';
import { describeAdministration } from './admin.suite.js';

for (const name of SERVERS) {
  describeAdministration({ database: name, platform: 'express', provider: 'session' });
  describeAdministration({ database: name, platform: 'fastify', provider: 'jwt' });
  describeRoles({ database: name, platform: 'express', provider: 'session' });
  describeTexts({ database: name, platform: 'fastify', provider: 'session' });

  describe(`two instances on ${name}`, () => {
    const instances: AdminApp[] = [];
    beforeAll(async () => {
      const shared = sharedDatabase(name);
      await shared.recreate();
      for (const database of [shared, { ...shared.options, synchronize: false }]) {
        instances.push(await new AdminApp({ provider: 'session', database }).start());
      }
    });

    it('keep one enabled when five administrators disable each other', async () => {
      const [one] = instances as [AdminApp];
      const administrators: AuthUser[] = [];
      for (let i = 0; i < 4; i++) {
        administrators.push(await one.administrator());
      }
      administrators.push(await one.users.findOneByOrFail({ username: 'admin' }));
      const tokens = await Promise.all(
        administrators.map((user) => (user.username === 'admin' ? one.adminToken() : one.tokenOf(user))),
      );
      const answers = await Promise.all(
        tokens.flatMap((token, i) =>
          administrators
            .filter((_user, j) => i !== j)
            .map((user, j) =>
              instances[j % 2]!.call(token, 'PATCH', `users/${user.id}`, { status: AuthUserStatus.DISABLED }),
            ),
        ),
      );
      expect(answers.filter(({ status }) => ![200, 401, 409].includes(status))).toEqual([]);
      const enabled = await one.users.countBy({ status: AuthUserStatus.ENABLED });
      expect(enabled).toBeGreaterThanOrEqual(1);
      const last = await one.users.findOneByOrFail({ status: AuthUserStatus.ENABLED });
      expect(
        (await one.call(tokens[administrators.findIndex(({ id }) => id === last.id)], 'GET', 'users')).status,
      ).toBe(200);
      await one.users.update({ status: AuthUserStatus.DISABLED }, { status: AuthUserStatus.ENABLED });
    });

    it('create ten roles at once that are neighbors in the index', async () => {
      const [one] = instances as [AdminApp];
      const admin = await one.adminToken();
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            instances[i % 2]!.call(admin, 'POST', 'roles', { code: `SUPER_AD${round}${i}`, name: 'Next' }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
      }
    });

    it('create one user when twenty requests use the same name in different cases', async () => {
      const [one] = instances as [AdminApp];
      const admin = await one.adminToken();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          instances[i % 2]!.call(admin, 'POST', 'users', { username: 'Twenty', password: PASSWORD }),
        ),
      );
      const codes = answers.map(({ status, json }) => json.code ?? status).sort();
      expect(codes).toEqual([201, ...Array<number>(19).fill(40900)]);
    });
  });
}
