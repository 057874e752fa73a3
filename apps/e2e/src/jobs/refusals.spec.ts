import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { AuthException, KitAuthContext } from 'kit-auth';
import { freezeDate, IS_SWEEP, sharedTestApp } from 'test-support';
import { JobsApp, type Sent } from './app.js';
import { Statements } from '../database/statements.js';

const FORGED = IS_SWEEP ? 100_000 : 5000;

afterEach(() => {
  jest.useRealTimers();
});

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

  it('cause no look-up, and one event in a minute, however many come', async () => {
    freezeDate();
    const kitAuth = String(sent['kitAuth']);
    const outcomes = new Set<unknown>();
    const seen = await statements.of(async () => {
      for (let i = 0; i < FORGED; i++) {
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

describe('jobs with something else in the place of the user', () => {
  const app = sharedTestApp(new JobsApp());

  it('are refused with an event', async () => {
    for (const kitAuth of [1, null, {}]) {
      expect(await app.resume({ kitAuth })).toBe('40101 malformed');
    }
    expect(app.heard('carried-refused').map(({ detail }) => detail)).toEqual(['reports: malformed']);
  });

  it('have none if they carry no user', async () => {
    expect(await app.resume({})).toBe('40100 undefined');
    expect(app.heard('carried-refused')).toHaveLength(1);
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
  });
});
