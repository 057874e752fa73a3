import { describe, expect, it } from '@jest/globals';
import { describePackage } from 'test-support';
import { type CarriedAudience, jobsOptions, secondsOf } from './jobs.options.js';
import * as index from './index.js';

const KEY = 'k'.repeat(32);
const reports = { hours: 24 };
const ANY = 'must be an object with at least one audience, such as { reports: { hours: 24 } }';
const NAMES = 'must have names of 1 to 32 letters, digits and . _ -, of which the first is a letter';
const TIME =
  'must have audiences with one whole number of seconds, minutes, hours or days, from 1 second to 30 days: reports does not';
const MEMBERS =
  'must have audiences with the members seconds, minutes, hours, days, needsLogin only: reports does not';

const WRONG_AUDIENCES: readonly (readonly [audiences: unknown, problem: string])[] = [
  [{}, ANY],
  [[], ANY],
  [{ '': reports }, NAMES],
  [JSON.parse('{ "__proto__": { "hours": 1 } }'), NAMES],
  [{ ['a'.repeat(33)]: reports }, NAMES],
  [{ reports: {} }, TIME],
  [{ reports: { seconds: 0 } }, TIME],
  [{ reports: { seconds: 1.5 } }, TIME],
  [{ reports: { days: 31 } }, TIME],
  [{ reports: { hours: 1, seconds: 1 } }, TIME],
  [{ billing: reports, reports: 24 }, MEMBERS],
  [{ reports: { hour: 24 } }, MEMBERS],
  [
    { reports: { hours: 24, needsLogin: 'yes' } },
    'must have audiences whose needsLogin is the boolean true or false: reports does not',
  ],
];

describePackage({
  at: import.meta.url,
  entries: { '': index },
  module: index.KitAuthJobsModule,
  definition: jobsOptions,
  options: { keys: [KEY], audiences: { reports } },
  defaults: { keys: [KEY], audiences: { reports }, rpc: 'require' },
  wrong: [
    [
      {},
      'kit.auth.jobs.keys is missing: at least one secret of 32 bytes or more, such as the output of npx kit-auth secret',
      'kit.auth.jobs.audiences is missing: who users are carried to, such as { reports: { hours: 24 } }',
    ],
    [
      { keys: [KEY, 'too-short'], audiences: { reports }, rpc: 'always' },
      'kit.auth.jobs.keys must have at least 32 bytes of UTF-8 in each string: number 2 does not',
      "kit.auth.jobs.rpc must be 'require' or 'allow'",
    ],
    ...WRONG_AUDIENCES.map(
      ([audiences, problem]) => [{ keys: [KEY], audiences }, `kit.auth.jobs.audiences ${problem}`] as const,
    ),
  ],
  environment: [
    [
      { KIT_AUTH_JOBS_KEYS: `${KEY}, ${'o'.repeat(40)}`, KIT_AUTH_JOBS_RPC: 'allow' },
      { keys: [KEY, 'o'.repeat(40)], rpc: 'allow' },
    ],
  ],
  needs: { once: /both resolve tokens that begin with "kapj_"\. .*import their module once/ },
});

describe('an audience', () => {
  it.each<[CarriedAudience, number]>([
    [{ seconds: 1 }, 1],
    [{ minutes: 2 }, 120],
    [{ hours: 24, needsLogin: true }, 86_400],
    [{ days: 30 }, 2_592_000],
  ])('takes the time of %j', (audience, seconds) => {
    expect(jobsOptions.resolve({ keys: [KEY], audiences: { audience } }).problems).toEqual([]);
    expect(secondsOf(audience)).toBe(seconds);
  });
});
