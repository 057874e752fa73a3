import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { NestFactory } from '@nestjs/core';
import { type Job, type Queue, QueueEvents } from 'bullmq';
import { KitAuthJobsModule } from 'kit-auth-jobs';
import { freePorts, MemoryLogger, moduleOf, RedisServer, sharedDatabase, sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { JOBS, JobsApp } from './app.js';
import { Distant, Reports, ReportsController, Scoped, Worked } from './processors.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = new RedisServer((await freePorts(1))[0]!);
  await redis.start();
});
afterAll(() => redis.dispose());

const connection = () => ({ host: '127.0.0.1', port: redis.port });
const bullmq = () => [
  BullModule.forRootAsync({ useFactory: () => ({ connection: connection() }) }),
  BullModule.registerQueue({ name: 'reports' }, { name: 'scoped' }, { name: 'distant' }),
];

describe('jobs of BullMQ that a request has created', () => {
  const database = sharedDatabase('sqlite');
  beforeAll(() => database.recreate());
  const app = sharedTestApp(
    new JobsApp({
      database,
      imports: bullmq(),
      controllers: [ReportsController],
      providers: [Reports, Scoped, Worked],
    }),
  );
  const ended: Record<string, QueueEvents> = {};
  let ada: { id: number; username: string };
  let token: string;
  beforeAll(async () => {
    await app.role({ code: 'reader' });
    for (const name of ['reports', 'scoped', 'distant']) {
      ended[name] = new QueueEvents(name, { connection: connection() });
      await ended[name].waitUntilReady();
    }
  });
  afterAll(() => Promise.all(Object.values(ended).map((events) => events.close())));
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
  const resultOf = (job: Job) => job.waitUntilFinished(ended[job.queueName]!);

  it('run as its user, with data that has no token', async () => {
    expect(await resultOf(await add({ month: 'May' }))).toEqual({
      ...{ data: { month: 'May' }, user: ada.username, context: ada.username, roles: ['reader'] },
      ...{ hasToken: true, hasSignal: true },
    });
    const scoped = await resultOf(await add({ month: 'May' }, 'scoped'));
    expect(scoped).toEqual({ data: { month: 'May' }, context: ada.username });
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
    const failed = new Promise((resolve) => ended['reports']!.once('delayed', resolve));
    await queue().resume();
    await failed;
    await rename('auth_away', 'auth_user');
    expect(await resultOf(job)).toMatchObject({ user: ada.username });
    expect(app.get(Worked).failed[0]).toMatchObject({ failedReason: expect.stringMatching(/service|try/i) });
  });

  it('fail for good with a wrong user', async () => {
    const { data } = await add({ month: 'May' });
    const tampered = await queue().add('report', { ...data, month: 'June' }, { attempts: 5 });
    await expect(resultOf(tampered)).rejects.toThrow(/: data$/);
    expect((await queue().getJob(tampered.id!))!.attemptsMade).toBe(1);
    const renamed = await queue().add('cancel', data, { attempts: 5 });
    await expect(resultOf(renamed)).rejects.toThrow(/: name$/);
  });

  it('run in a worker without HTTP, with the roles of today', async () => {
    const job = await add({ month: 'May' }, 'distant');
    await app.call(await app.adminToken(), 'PUT', `users/${ada.id}/roles`, { roles: [] });
    const module = await moduleOf({
      database: { ...database.options, synchronize: false } as never,
      imports: [KitAuthJobsModule.forRoot(JOBS), ...bullmq()],
      providers: [Distant],
    });
    const logger = new MemoryLogger();
    const worker = await NestFactory.createApplicationContext(module as never, {
      abortOnError: false,
      logger,
    });
    expect(await resultOf(job)).toEqual({ data: { month: 'May' }, username: ada.username, roles: [] });
    await worker.close();
    expect(logger.all()).not.toContain('kapj_');
    expect(await app.users.countBy({ username: 'admin' })).toBe(1);
  });
});
