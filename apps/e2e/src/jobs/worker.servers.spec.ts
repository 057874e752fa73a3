import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, QueueEvents } from 'bullmq';
import {
  builtApp,
  DECORATE,
  freePorts,
  RedisServer,
  SOURCE_FLAGS,
  sharedDatabase,
  sharedTestApp,
  until,
} from 'test-support';
import { JOBS, JobsApp } from './app.js';

const WORKER = `
import { Processor, WorkerHost, BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthContext, KitAuthModule } from 'kit-auth';
import { KitAuthJobsModule, AsCarriedUser } from 'kit-auth-jobs';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate } from './decorate.js';

const { jobs, database, port } = JSON.parse(process.env.SETTINGS);
class Reports extends WorkerHost {
  constructor(context) {
    super();
    this.context = context;
  }
  async process({ data }) {
    const { username, roles } = this.context.getOrThrow();
    return { pid: process.pid, data, username, roles };
  }
}
const descriptor = Object.getOwnPropertyDescriptor(Reports.prototype, 'process');
AsCarriedUser('reports')(Reports.prototype, 'process', descriptor);
Object.defineProperty(Reports.prototype, 'process', descriptor);
Reflect.defineMetadata('design:paramtypes', [KitAuthContext], Reports);
decorate(Reports, Processor('reports'));
class WorkerModule {}
decorate(WorkerModule, Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'better-sqlite3', database, autoLoadEntities: true }),
    KitAuthModule.forRoot({ jwt: { secret: 's'.repeat(32) } }),
    KitAuthJwtModule,
    KitAuthJobsModule.forRoot(jobs),
    BullModule.forRoot({ connection: { host: '127.0.0.1', port } }),
    BullModule.registerQueue({ name: 'reports' }),
  ],
  providers: [Reports],
}));
const app = await NestFactory.createApplicationContext(WorkerModule, { abortOnError: false });
app.enableShutdownHooks();
console.log('The worker is ready.');
`;

describe('a worker without HTTP, in a process of its own', () => {
  const database = sharedDatabase('sqlite');
  beforeAll(() => database.recreate());
  const app = sharedTestApp(new JobsApp({ database }));
  const redis: { server?: RedisServer; worker?: ChildProcess; output: string } = { output: '' };
  let queue: Queue;
  let ended: QueueEvents;

  beforeAll(async () => {
    const [port] = (await freePorts(1)) as [number];
    redis.server = new RedisServer(port);
    await redis.server.start();
    const connection = { host: '127.0.0.1', port };
    queue = new Queue('reports', { connection });
    ended = new QueueEvents('reports', { connection });
    await ended.waitUntilReady();
    const cwd = builtApp({ 'dist/decorate.js': DECORATE, 'dist/worker.js': WORKER });
    const settings = JSON.stringify({ jobs: JOBS, database: database.options.database, port });
    const worker = spawn(process.execPath, [...SOURCE_FLAGS, 'dist/worker.js'], {
      cwd,
      env: { PATH: process.env['PATH'], NO_COLOR: '1', SETTINGS: settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    redis.worker = worker;
    [worker.stdout, worker.stderr].forEach((stream) =>
      stream.on('data', (chunk: Buffer) => (redis.output += chunk.toString())),
    );
    await until(() => {
      if (worker.exitCode !== null) {
        throw new Error(redis.output);
      }
      return redis.output.includes('The worker is ready.') || undefined;
    });
  });
  afterAll(async () => {
    const { worker } = redis;
    if (worker?.exitCode === null && worker.signalCode === null) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
    await Promise.all([queue.close(), ended.close()]);
    await redis.server?.dispose();
  });

  it('runs jobs as the users of the requests that have created them, with the roles of today', async () => {
    await app.role({ code: 'reader' });
    const { username, id } = await app.user();
    const sent = await app.carry(await app.tokenOf(username));
    await app.call(await app.adminToken(), 'PUT', `users/${id}/roles`, { roles: ['reader'] });
    const job = await queue.add('report', sent);
    expect(await job.waitUntilFinished(ended)).toEqual({
      pid: redis.worker!.pid,
      data: { month: 'May' },
      username,
      roles: ['reader'],
    });
    const tampered = await queue.add('report', { ...sent, month: 'June' }, { attempts: 5 });
    await expect(tampered.waitUntilFinished(ended)).rejects.toThrow(/: data$/);
  });

  it('does not create the administrator again', async () => {
    expect(await app.users.countBy({ username: 'admin' })).toBe(1);
    expect(redis.output.match(/default administrator initialization finished/g)).toHaveLength(1);
    expect(redis.output).not.toContain('kapj_');
  });

  it('listens on no port, and ends when it is told to', async () => {
    redis.worker!.kill('SIGTERM');
    await once(redis.worker!, 'exit');
    expect(redis.output).not.toMatch(/Mapped \{/);
  });
});
