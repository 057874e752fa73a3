import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Injectable } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import * as fc from 'fast-check';
import {
  AuthException,
  IllegalStateException,
  KitAuthContext,
  Public,
  RequirePermissions,
  RequireRoles,
  RequireToken,
} from 'kit-auth';
import { AsCarriedUser, KitAuthJobsModule, type KitAuthJobsOptions } from 'kit-auth-jobs';
import { freezeDate, sharedTestApp, testApp } from 'test-support';
import { optionsFor, TOKENS } from './instances.js';
import { JOBS, JobsApp, type Sent } from './jobs-app.js';
import { NEEDY } from './jobs-logins.suite.js';
import { Statements } from './statements.js';

describe('forged jobs', () => {
  const statements = new Statements();
  const app = sharedTestApp(new JobsApp({ database: statements.on() }));
  let sent: Sent;
  beforeAll(async () => {
    sent = await app.carry(await app.adminToken());
  });
  const outcomeOf = async (data: object) => {
    try {
      await app.carrier.resume('reports', data, () => undefined);
      return 'ran';
    } catch (error) {
      return error instanceof AuthException ? error.reason : error;
    }
  };

  it('cause no look-up, and one event in a minute: 100,000 of them', async () => {
    const kitAuth = String(sent['kitAuth']);
    const outcomes = new Set<unknown>();
    const seen = await statements.of(async () => {
      for (let i = 0; i < 100_000; i++) {
        const at = 5 + (i % (kitAuth.length - 5));
        const other = kitAuth[at] === 'A' ? 'B' : 'A';
        outcomes.add(
          await outcomeOf({ ...sent, kitAuth: kitAuth.slice(0, at) + other + kitAuth.slice(at + 1) }),
        );
      }
    });
    expect(seen.filter((text) => !text.startsWith('INSERT INTO "auth_audit"'))).toEqual([]);
    expect(seen).toHaveLength(3);
    expect([...outcomes].sort()).toEqual(['audience', 'malformed', 'signature']);
    expect(
      app
        .heard('carried-refused')
        .map(({ detail }) => detail)
        .sort(),
    ).toEqual(['reports: audience', 'reports: malformed', 'reports: signature']);
    expect(await statements.of(() => outcomeOf(sent))).toHaveLength(1);
  });

  it('are in no message of the log', () => {
    expect(app.logs.all()).not.toContain('kapj_');
  });
});

describe('jobs of several users', () => {
  const app = sharedTestApp(new JobsApp());
  const jobs: { username: string; sent: Sent }[] = [];
  beforeAll(async () => {
    for (let i = 0; i < 3; i++) {
      const { username } = await app.user();
      jobs.push({ username, sent: await app.carry(await app.tokenOf(username), { i }) });
    }
  });

  it('never see each other, in whatever order their parts run', async () => {
    const context = app.get(KitAuthContext);
    const runs = fc.array(
      fc.record({
        job: fc.nat(2),
        steps: fc.array(fc.constantFrom('tick', 'immediate', 'nested'), { maxLength: 5 }),
      }),
      { minLength: 2, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(runs, async (all) => {
        const seen = await Promise.all(
          all.map(({ job, steps }) =>
            app.carrier.resume('reports', jobs[job]!.sent, async () => {
              const names = [context.get()?.username];
              for (const step of steps) {
                if (step === 'nested') {
                  await app.carrier.resume('reports', jobs[(job + 1) % 3]!.sent, async () => {
                    await Promise.resolve();
                  });
                } else {
                  await (step === 'tick'
                    ? Promise.resolve()
                    : new Promise((resolve) => setImmediate(resolve)));
                }
                names.push(context.get()?.username);
              }
              return new Set(names);
            }),
          ),
        );
        expect(seen).toEqual(all.map(({ job }) => new Set([jobs[job]!.username])));
      }),
      { numRuns: 40 },
    );
    expect(context.get()).toBeUndefined();
  });
});

describe('the start of an application with jobs', () => {
  it.each(TOKENS)('needs logins that can be asked, for audiences that need them: %s', async (tokens) => {
    const starting = new JobsApp({ ...optionsFor(tokens), jobs: NEEDY }).start();
    if (tokens === 'jwt' || tokens === 'stateless sessions') {
      await expect(starting).rejects.toThrow(
        new IllegalStateException(
          'kit.auth.jobs.audiences: needsLogin of reports cannot be checked, because no module knows which logins are ' +
            "live. Import KitAuthRefreshModule of 'kit-auth-refresh', or use KitAuthSessionModule of " +
            "'kit-auth-session' with stored sessions.",
        ),
      );
    } else {
      await starting;
    }
  });

  it('needs its options', async () => {
    await expect(testApp({ imports: [KitAuthJobsModule.forRoot()] })).rejects.toThrow(
      'The configuration is invalid: kit.auth.jobs.keys is missing: at least one secret of 32 bytes or more, such as the ' +
        'output of npx kit-auth secret; kit.auth.jobs.audiences is missing: who users are carried to, such as ' +
        '{ reports: { hours: 24 } }.',
    );
  });

  it('can get its options from KitAuthModule and from a factory', async () => {
    const { keys, audiences } = JOBS as Required<KitAuthJobsOptions>;
    await testApp({
      options: { jobs: { keys } },
      imports: [KitAuthJobsModule.forRootAsync({ useFactory: async () => ({ audiences }) })],
    });
  });

  it('refuses a second import', async () => {
    const imports = [KitAuthJobsModule.forRoot(JOBS), KitAuthJobsModule.forRoot({ ...JOBS, rpc: 'allow' })];
    await expect(testApp({ imports })).rejects.toThrow(
      'The credentials "carried" and "carried" both resolve tokens that begin with "kapj_". Give each its own prefix, or ' +
        'import their module once.',
    );
  });

  it('refuses unknown audiences of decorators', async () => {
    @Injectable()
    class Reports {
      @AsCarriedUser('report')
      process() {}
    }
    @Controller()
    class Bills {
      @MessagePattern('bill')
      @AsCarriedUser('bills')
      create() {}
    }
    await expect(new JobsApp({ providers: [Reports], controllers: [Bills] }).start()).rejects.toThrow(
      "kit.auth.jobs.audiences has no audience of this name: @AsCarriedUser('bills') of Bills.create(), " +
        "@AsCarriedUser('report') of Reports.process(). Add it, or name one of reports, billing.",
    );
  });
});

describe('access decorators on processors', () => {
  it('end the start, because no guard reads them', async () => {
    @Injectable()
    class Reports {
      @RequirePermissions('report:create')
      @AsCarriedUser('reports')
      above() {}

      @AsCarriedUser('reports')
      @RequireRoles('editor')
      below() {}

      @AsCarriedUser('reports')
      @Public()
      open() {}
    }
    @RequireToken()
    @Injectable()
    class Weekly {
      @AsCarriedUser('reports')
      process() {}
    }
    await expect(new JobsApp({ providers: [Reports, Weekly] }).start()).rejects.toThrow(
      new IllegalStateException(
        'Access decorators have no effect on processors of jobs: Reports.above(), Reports.below(), Weekly.process(). ' +
          'Remove them, and check permissions in the code, for example with hasPermission().',
      ),
    );
  });
});

describe('jobs of an application whose kit-auth is off', () => {
  it('run without a user, whatever they carry', async () => {
    const on = await new JobsApp().start();
    const sent = await on.carry(await on.adminToken());
    for (const jobs of [JOBS, {}]) {
      const app = await new JobsApp({ options: { enabled: false }, jobs }).start();
      const seen = () => app.get(KitAuthContext).get();
      expect(app.carrier.data('reports', { month: 'May' })).toEqual({ month: 'May' });
      expect(app.carrier.headers('reports', 'text')).toEqual({});
      for (const data of [sent, { ...sent, month: 'June' }, { month: 'May' }]) {
        expect(await app.carrier.resume('reports', data, (user) => [user, seen()])).toEqual([
          undefined,
          undefined,
        ]);
      }
    }
  });
});

describe('repeated refusals of a job', () => {
  it('are one event a minute, with their number', async () => {
    freezeDate();
    const app = await new JobsApp().start();
    const sent = await app.carry(await app.adminToken());
    for (let i = 0; i < 3; i++) {
      await app.resume({ ...sent, month: 'June' });
    }
    const heard = () => app.heard('carried-refused').map(({ detail, subjectId }) => [detail, subjectId]);
    expect(heard()).toEqual([['reports: data', null]]);
    await app.close();
    expect(heard()).toEqual([
      ['reports: data', null],
      ['2 more: reports: data', null],
    ]);
    jest.useRealTimers();
  });
});
