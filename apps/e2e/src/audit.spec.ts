import { describe, expect, it } from '@jest/globals';
import { KitAuthSessionModule } from 'kit-auth-session';
import { AdminApp, AdminClient } from './admin-app.js';
import { describeAudit } from './audit.suite.js';
import { sqliteInMemory } from './databases.js';
import { BOTH, start } from './platforms.js';

describeAudit({ name: 'SQLite', db: sqliteInMemory, platform: 'express', implementation: 'session' });
describeAudit({ name: 'SQLite', db: sqliteInMemory, platform: 'fastify', implementation: 'jwt' });
const inMemory = KitAuthSessionModule.forRoot({ store: 'memory' });
describeAudit({ name: 'SQLite', db: sqliteInMemory, platform: 'fastify', implementation: inMemory });

describe.each(BOTH)('sessions that cannot be ended, on %s', (platform) => {
  it('leave no record, and nothing is changed', async () => {
    const app = AdminApp.with({ implementation: 'session' });
    const client = new AdminClient(await start(app, { platform }));
    const [admin, user] = [await client.adminToken(), await client.newUser()];
    const token = await client.tokenOf(user);
    const before = await client.audit.count();
    await client.audit.query(
      "CREATE TRIGGER no_end BEFORE UPDATE OF endedBy ON auth_session BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    for (const [method, path, body] of [
      ['PATCH', '', { status: 'DISABLED' }],
      ['POST', '/password', { newPassword: 'another right one 4712' }],
      ['DELETE', '/sessions', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const { status, json } = await client.call(admin, method, `users/${user.id}${path}`, body);
      expect([status, json.code]).toEqual([503, 50300]);
    }
    expect(await client.audit.count()).toBe(before);
    expect(await client.codeOf(token)).toBe(200);
    expect((await client.login(user.username)).status).toBe(200);
    await client.running.app.close();
  });
});
