import { beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { CurrentUser, KitAuthContext, type LoginUser } from 'kit-auth';
import { loginUser, sharedTestApp, testApp } from 'test-support';
import { UserCarrier } from '../carrying/user.carrier.js';
import { KitAuthJobsModule } from '../kit-auth-jobs.module.js';
import { AsCarriedUser } from './as-carried-user.decorator.js';

const jobs = KitAuthJobsModule.forRoot({
  keys: ['k'.repeat(32)],
  audiences: { reports: { hours: 24 } },
});

@Injectable()
class Reports {
  @Inject(KitAuthContext) private readonly context!: KitAuthContext;

  @AsCarriedUser('reports')
  async process(
    job: { name: string; data: object },
    token?: string,
    @CurrentUser() user?: LoginUser,
    ...rest: unknown[]
  ): Promise<unknown> {
    return { data: job.data, token, user: user?.username, rest };
  }

  @AsCarriedUser('reports', { optional: true })
  async any({ data }: { name: string; data: object }, @CurrentUser() user?: LoginUser): Promise<unknown> {
    return { data, user: user?.username, current: this.context.get()?.username };
  }

  @AsCarriedUser('reports')
  fail({ data }: { name: string; data: object }): never {
    throw new TypeError(`mine ${Object.keys(data).join()}`);
  }
}

class WeeklyReports extends Reports {
  @AsCarriedUser('reports')
  override async process(job: { name: string; data: object }) {
    return {
      weekly: await super
        .process({ ...job, data: { ...job.data, nested: true } })
        .catch((error: unknown) => (error as Error).name),
    };
  }
}

describe('@AsCarriedUser()', () => {
  const app = sharedTestApp({
    imports: [jobs],
    providers: [Reports, WeeklyReports, { provide: 'made', useFactory: () => new Reports() }],
  });
  let data: object;
  beforeAll(async () => {
    const { id } = await app.users.findOneByOrFail({ username: 'admin' });
    const user = loginUser({ userId: id, username: 'admin' });
    data = app
      .get(KitAuthContext)
      .run(user, () => app.get(UserCarrier).data('reports', { a: 1 }, { for: 'report' }));
  });

  it('fills the parameter of the user, and passes the others on', async () => {
    const reports = app.get(Reports);
    const job = { name: 'report', data };
    expect(await reports.process(job, 'lock', undefined, 'more')).toEqual({
      data: { a: 1 },
      token: 'lock',
      user: 'admin',
      rest: ['more'],
    });
    expect(job.data).toBe(data);
    expect(await reports.process(job)).toMatchObject({ user: 'admin' });
  });

  it('keeps the name of the method, and the number of its parameters, which BullMQ reads', () => {
    const { process } = Reports.prototype as { process: { name: string; length: number } };
    expect([process.name, process.length]).toEqual(['process', 3]);
  });

  it('passes on the errors of the method, and restores the job', async () => {
    const job = { name: 'report', data };
    await expect(app.get(Reports).fail(job) as unknown).rejects.toThrow(new TypeError('mine a'));
    expect(job.data).toBe(data);
  });

  it('works in subclasses, where each method takes a job of its own', async () => {
    expect(await app.get(WeeklyReports).process({ name: 'report', data })).toEqual({
      weekly: 'UnrecoverableError',
    });
  });

  it('fails for good without a user, or with a wrong one', async () => {
    const reports = app.get(Reports);
    await expect(reports.process({ name: 'report', data: {} })).rejects.toMatchObject({
      name: 'UnrecoverableError',
      message: 'The data carries no user. Create it with UserCarrier',
      cause: expect.objectContaining({ code: 40100 }),
    });
    await expect(reports.process({ name: 'report', data: { ...data, a: 2 } })).rejects.toMatchObject({
      name: 'UnrecoverableError',
      message: expect.stringMatching(/: data$/),
      cause: expect.objectContaining({ code: 40101, reason: 'data' }),
    });
  });

  it('may be optional: no user is none, also for a sender who is one, and a wrong user is refused', async () => {
    const reports = app.get(Reports);
    expect(await reports.any({ name: 'report', data })).toEqual({
      ...{ data: { a: 1 }, user: 'admin', current: 'admin' },
    });
    const without = { name: 'report', data: { a: 1 } };
    expect(await app.get(KitAuthContext).run(loginUser(), () => reports.any(without))).toEqual({
      ...{ data: { a: 1 }, user: undefined, current: undefined },
    });
    for (const [wrong, reason] of [
      [{ ...data, a: 2 }, 'data'],
      [{ a: 1, kitAuth: null }, 'malformed'],
      [{ a: 1, kitAuth: '' }, 'malformed'],
    ] as const) {
      await expect(reports.any({ name: 'report', data: wrong })).rejects.toMatchObject({
        name: 'UnrecoverableError',
        cause: expect.objectContaining({ code: 40101, reason }),
      });
    }
  });

  it.each(['cancel', '', undefined])('fails for good for a job with the name %j', async (name) => {
    await expect(app.get(Reports).process({ name: name as string, data })).rejects.toMatchObject({
      name: 'UnrecoverableError',
      cause: expect.objectContaining({ code: 40101, reason: 'name' }),
    });
  });

  it('needs an instance that Nest has created', async () => {
    await expect(app.get<Reports>('made').process({ name: 'report', data })).rejects.toThrow(
      '@AsCarriedUser() works on classes that Nest creates. Provide the class itself, not a value or the result of a factory.',
    );
  });

  it('needs the module', async () => {
    await expect(testApp({ providers: [Reports] })).rejects.toThrow(
      'the "Symbol(UserCarrier of KitAuthJobsModule)" property',
    );
  });

  it('calls the method without a user where kit-auth is off', async () => {
    const off = await testApp({ imports: [jobs], providers: [Reports], options: { enabled: false } });
    expect(await off.get(Reports).process({ name: 'report', data })).toEqual({ data: { a: 1 }, rest: [] });
  });
});
