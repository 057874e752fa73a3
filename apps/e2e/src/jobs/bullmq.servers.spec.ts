import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type Job, type Queue, QueueEvents } from 'bullmq';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { BOTH, freePorts, RedisServer, sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { JobsApp } from './app.js';
import { Reports, ReportsController, Scoped, Worked } from './processors.js';

const redis = { server: undefined as RedisServer | undefined };
beforeAll(async () => {
  const [port] = (await freePorts(1)) as [number];
  redis.server = new RedisServer(port);
  await redis.server.start();
});
afterAll(() => redis.server?.dispose());

const connection = () => ({ host: '127.0.0.1', port: redis.server!.port });

describe.each(BOTH)('jobs of BullMQ that a request on %s has created', (platform) => {
  const app = sharedTestApp(
    new JobsApp({
      platform,
      imports: [
        BullModule.forRootAsync({ useFactory: () => ({ connection: connection(), prefix: platform }) }),
        BullModule.registerQueue({ name: 'reports' }, { name: 'scoped' }),
      ],
      controllers: [ReportsController],
      providers: [Reports, Scoped, Worked],
    }),
  );
  let ended: QueueEvents;
  let ada: { id: number; username: string };
  let token: string;
  beforeAll(async () => {
    await app.role({ code: 'reader' });
    await app.role({ code: 'writer' });
    ended = new QueueEvents('reports', { connection: connection(), prefix: platform });
    await ended.waitUntilReady();
  });
  afterAll(() => ended.close());
  beforeEach(async () => {
    const worked = app.get(Worked);
    worked.before = () => undefined;
    worked.failed.length = 0;
    ada = await app.user({ roles: ['reader'] });
    token = await app.tokenOf(ada);
  });

  const queue = (name = 'reports') => app.get<Queue>(getQueueToken(name));
  const add = async (data: object, name = 'reports') => {
    const target = `/v1/reports?queue=${name}`;
    const { json } = await app.request(target, { method: 'POST', token, json: data });
    return (await queue(name).getJob(String(json.id)))!;
  };
  const resultOf = (job: Job) => job.waitUntilFinished(ended);
  const failureOf = async (job: Job) => {
    await expect(resultOf(job)).rejects.toThrow();
    const { attemptsMade, failedReason } = (await queue().getJob(job.id!))!;
    return [attemptsMade, failedReason];
  };

  it('run as its user, with data that has no token', async () => {
    expect(await resultOf(await add({ month: 'May' }))).toEqual({
      data: { month: 'May' },
      user: ada.username,
      context: ada.username,
      roles: ['reader'],
      hasToken: true,
      hasSignal: true,
    });
  });

  it('run in processors that are made for each job', async () => {
    const events = new QueueEvents('scoped', { connection: connection(), prefix: platform });
    await events.waitUntilReady();
    const job = await add({ month: 'May' }, 'scoped');
    expect(await job.waitUntilFinished(events)).toEqual({ data: { month: 'May' }, context: ada.username });
    await events.close();
  });

  it('run again after a failure, and listeners get the data as it was sent', async () => {
    let attempts = 0;
    app.get(Worked).before = () => {
      if (++attempts < 3) {
        throw new Error('not yet');
      }
    };
    const job = await add({ month: 'May' });
    expect(await resultOf(job)).toMatchObject({ data: { month: 'May' }, user: ada.username });
    expect(app.get(Worked).failed).toEqual([
      { data: job.data, attemptsMade: 1, failedReason: 'not yet' },
      { data: job.data, attemptsMade: 2, failedReason: 'not yet' },
    ]);
    expect(job.data).toEqual({ month: 'May', kitAuth: expect.stringMatching(/^kapj_/) });
  });

  it('run again with data that they have updated', async () => {
    expect(await resultOf(await add({ month: 'May', step: 1 }))).toMatchObject({
      data: { month: 'May', step: 2 },
      user: ada.username,
    });
  });

  it('run again when the database did not answer', async () => {
    const rename = (from: string, to: string) =>
      app.get(DataSource).query(`ALTER TABLE "${from}" RENAME TO "${to}"`);
    await queue().pause();
    const job = await add({ month: 'May' });
    await rename('auth_user', 'auth_away');
    const failed = new Promise((resolve) => ended.once('delayed', resolve));
    await queue().resume();
    await failed;
    await rename('auth_away', 'auth_user');
    expect(await resultOf(job)).toMatchObject({ user: ada.username });
    expect(app.get(Worked).failed[0]).toMatchObject({ failedReason: expect.stringMatching(/service|try/i) });
  });

  it('run with the roles of today, and not at all for a disabled user', async () => {
    await queue().pause();
    const jobs = [await add({ month: 'May' }), await add({ month: 'June' })] as const;
    const admin = await app.adminToken();
    await app.call(admin, 'PUT', `users/${ada.id}/roles`, { roles: ['writer'] });
    await queue().resume();
    expect(await Promise.all(jobs.map(resultOf))).toMatchObject([
      { roles: ['writer'] },
      { roles: ['writer'] },
    ]);
    await queue().pause();
    const late = await add({ month: 'May' });
    await app.users.update(ada.id, { status: AuthUserStatus.DISABLED });
    await queue().resume();
    expect(await failureOf(late)).toEqual([1, expect.stringMatching(/: disabled$/)]);
  });

  it('fail for good with a wrong user, or without one', async () => {
    const { data } = await add({ month: 'May' });
    const tampered = await queue().add('report', { ...data, month: 'June' }, { attempts: 5 });
    expect(await failureOf(tampered)).toEqual([1, expect.stringMatching(/: data$/)]);
    const alone = await queue().add('report', { month: 'May' }, { attempts: 5 });
    expect(await failureOf(alone)).toEqual([1, 'The data carries no user. Create it with UserCarrier']);
    const copy = await queue().add('report', data);
    expect(await resultOf(copy)).toMatchObject({ user: ada.username });
  });

  it('never see the user of another job', async () => {
    app.get(Worked).before = () => new Promise((resolve) => setImmediate(resolve));
    const users = [ada, await app.user(), await app.user()];
    const jobs = [];
    for (let i = 0; i < 9; i++) {
      token = await app.tokenOf(users[i % 3]!);
      jobs.push(await add({ month: String(i) }));
    }
    const results = await Promise.all(jobs.map(resultOf));
    expect(results.map(({ user, context }) => [user, context])).toEqual(
      jobs.map((_, i) => [users[i % 3]!.username, users[i % 3]!.username]),
    );
  });
});
