import { beforeAll, describe, expect, it } from '@jest/globals';
import { KitAuthContext } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { EVERYWHERE, sharedTestApp } from 'test-support';
import { ReportsConsumer, ReportsService } from './reports.consumer.js';

describe.each(EVERYWHERE)('a job of the guide on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, providers: [ReportsConsumer, ReportsService] });
  let userId: number;
  beforeAll(async () => {
    const role = await app.role({ permissions: ['report:*'] });
    userId = (await app.user({ username: 'ada', roles: [role] })).id;
  });
  const process = (id = userId) => app.get(ReportsConsumer).process({ userId: id, month: 'May' });

  it('runs as its user, and as nobody outside of run()', async () => {
    expect(await process()).toBe('report of May for ada');
    expect(app.get(KitAuthContext).get()).toBeUndefined();
    expect(() => app.get(ReportsService).create('May')).toThrow();
  });

  it('does nothing for a user who lacks the permission, or is disabled or unknown', async () => {
    expect(await process((await app.user({})).id)).toBeUndefined();
    await app.users.update(userId, { status: AuthUserStatus.DISABLED });
    expect(await process()).toBeUndefined();
    expect(await process(4711)).toBeUndefined();
  });
});
