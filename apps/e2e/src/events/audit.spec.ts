import { describe, expect, it } from '@jest/globals';
import { BOTH } from 'test-support';
import { AdminApp } from '../admin/app.js';
import { describeAudit } from './audit.suite.js';

describeAudit({ database: 'sqlite', platform: 'express', provider: 'session' });
// Where there are no sessions: `audit.servers.spec.ts`.
describeAudit({ database: 'sqlite', platform: 'fastify', provider: 'session', session: { store: 'memory' } });

describe.each(BOTH)('sessions that cannot be ended, on %s', (platform) => {
  it('roll back the change and its record', async () => {
    const app = await new AdminApp({ platform, provider: 'session' }).start();
    const [admin, user] = [await app.adminToken(), await app.user()];
    const token = await app.tokenOf(user);
    const before = await app.audit.count();
    await app.audit.query(
      "CREATE TRIGGER no_end BEFORE UPDATE OF endedBy ON auth_session BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    for (const [method, path, body] of [
      ['PATCH', '', { status: 'DISABLED' }],
      ['POST', '/password', { newPassword: 'another right one 4712' }],
      ['DELETE', '/sessions', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const { status, json } = await app.call(admin, method, `users/${user.id}${path}`, body);
      expect([status, json.code]).toEqual([503, 50300]);
    }
    expect(await app.audit.count()).toBe(before);
    expect(await app.codeOf(token)).toBe(200);
    expect((await app.login(user.username)).status).toBe(200);
  });
});
