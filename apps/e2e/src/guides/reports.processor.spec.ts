import { beforeAll, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { KitAuthContext, type LoginUser } from 'kit-auth';
import { KitAuthJobsModule, UserCarrier } from 'kit-auth-jobs';
import { type AuthRole, AuthUserStatus } from 'kit-auth/typeorm';
import { loginUser, sharedTestApp } from 'test-support';
import { type ReportJob, ReportsController, ReportsProcessor, ReportsService } from './reports.processor.js';
const jobs = KitAuthJobsModule.forRoot({ keys: ['j'.repeat(32)], audiences: { reports: { hours: 24 } } });

describe('a job of the guide', () => {
  const added: object[] = [];
  const queue = { add: async (name: string, data: unknown) => void added.push({ name, data }) };
  const app = sharedTestApp({
    imports: [jobs],
    controllers: [ReportsController],
    providers: [ReportsProcessor, ReportsService, { provide: getQueueToken('reports'), useValue: queue }],
  });
  let role: AuthRole;
  beforeAll(async () => {
    role = await app.role({ permissions: ['report:*'] });
  });
  const process = (job: unknown) => app.get(ReportsProcessor).process(job as Job<ReportJob>);

  it('is created by a handler, and runs as the user', async () => {
    const token = await app.tokenOf(await app.user({ username: 'ada', roles: [role] }));
    await app.request('/v1/reports', { method: 'POST', token, json: { month: 'May' } });
    expect(await process(added.at(-1))).toBe('report of May for ada');
    expect(() => app.get(ReportsService).create('May')).toThrow();
  });

  it('fails for a user who lacks the permission, or is disabled', async () => {
    const as = (user: LoginUser) =>
      app.get(KitAuthContext).run(user, () => ({
        name: 'report',
        data: app.get(UserCarrier).data('reports', { month: 'May' }, { for: 'report' }),
      }));
    const { id } = await app.user();
    await expect(process(as(loginUser({ userId: id })))).rejects.toMatchObject({ code: 40300 });
    const { id: userId } = await app.user({ roles: [role] });
    const begun = as(loginUser({ userId }));
    await app.users.update(userId, { status: AuthUserStatus.DISABLED });
    await expect(process(begun)).rejects.toMatchObject({ name: 'UnrecoverableError' });
  });
});
