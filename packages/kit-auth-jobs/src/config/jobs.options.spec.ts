import { describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from 'kit-auth';
import { type CarriedAudience, jobsOptions, secondsOf } from './jobs.options.js';

const KEY = 'k'.repeat(32);
const reports = { hours: 24 };

describe('the options', () => {
  it('need a key and an audience, and nothing else', () => {
    const { settings, problems } = jobsOptions.resolve({ keys: [KEY], audiences: { reports } });
    expect(problems).toEqual([]);
    expect(settings).toEqual({ keys: [KEY], audiences: { reports }, rpc: 'require' });
  });

  it('say what is missing', () => {
    expect(jobsOptions.resolve({}).problems).toEqual([
      'kit.auth.jobs.keys is missing: at least one secret of 32 bytes or more, such as the output of npx kit-auth secret',
      'kit.auth.jobs.audiences is missing: who users are carried to, such as { reports: { hours: 24 } }',
    ]);
  });

  it('say what is wrong, without the value', () => {
    const given = { keys: [KEY, 'too-short'], audiences: { reports }, rpc: 'always' };
    const { problems } = jobsOptions.resolve(given);
    expect(problems).toEqual([
      'kit.auth.jobs.keys must have at least 32 bytes of UTF-8 in each string: number 2 does not',
      "kit.auth.jobs.rpc must be 'require' or 'allow'",
    ]);
    expect(problems.join()).not.toContain('too-short');
  });

  const ANY = 'must be an object with at least one audience, such as { reports: { hours: 24 } }';
  const NAMES = 'must have names of 1 to 32 letters, digits and . _ -, of which the first is a letter';
  const TIME =
    'must have audiences with one whole number of seconds, minutes, hours or days, from 1 second to 30 days: reports does not';
  const MEMBERS =
    'must have audiences with the members seconds, minutes, hours, days, needsLogin only: reports does not';
  it.each<[unknown, string]>([
    [{}, ANY],
    [[], ANY],
    ['reports', ANY],
    [{ '': reports }, NAMES],
    [{ 'a b': reports }, NAMES],
    [JSON.parse('{ "__proto__": { "hours": 1 } }'), NAMES],
    [{ ['a'.repeat(33)]: reports }, NAMES],
    [{ reports: {} }, TIME],
    [{ reports: { seconds: 0 } }, TIME],
    [{ reports: { seconds: 1.5 } }, TIME],
    [{ reports: { seconds: '60' } }, TIME],
    [{ reports: { days: 31 } }, TIME],
    [{ reports: { hours: 1, seconds: 1 } }, TIME],
    [{ billing: reports, reports: 24 }, MEMBERS],
    [{ reports: { hour: 24 } }, MEMBERS],
    [
      { reports: { hours: 24, needsLogin: 'yes' } },
      'must have audiences whose needsLogin is the boolean true or false: reports does not',
    ],
  ])('refuse the audiences %j', (audiences, problem) => {
    expect(jobsOptions.resolve({ keys: [KEY], audiences }).problems).toEqual([
      `kit.auth.jobs.audiences ${problem}`,
    ]);
  });

  it.each<[CarriedAudience, number]>([
    [{ seconds: 1 }, 1],
    [{ minutes: 2 }, 120],
    [{ hours: 24, needsLogin: true }, 86_400],
    [{ days: 30 }, 2_592_000],
  ])('take the time of %j', (audience, seconds) => {
    expect(jobsOptions.resolve({ keys: [KEY], audiences: { audience } }).problems).toEqual([]);
    expect(secondsOf(audience)).toBe(seconds);
  });

  it('can come from the environment, but for the audiences', () => {
    const variables = { KIT_AUTH_JOBS_KEYS: `${KEY}, ${'o'.repeat(40)}`, KIT_AUTH_JOBS_RPC: 'allow' };
    Object.assign(process.env, variables);
    try {
      const { jobs } = kitAuthConfig() as { jobs?: object };
      expect(jobsOptions.resolve(jobs, { audiences: { reports } })).toMatchObject({
        problems: [],
        settings: { keys: [KEY, 'o'.repeat(40)], rpc: 'allow' },
      });
    } finally {
      Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  });
});
