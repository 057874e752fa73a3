import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthException } from 'kit-auth';
import { freezeDate } from 'test-support';
import { jobsOptions, type KitAuthJobsOptions } from '../jobs.options.js';
import { CarriedTokens } from './carried.tokens.js';

const [KEY, NEXT] = ['k'.repeat(32), 'n'.repeat(32)];
const DATA = { month: 'May', lines: [1, 2] };
const NAME = 'report';
const ADA = { audience: 'reports', userId: 7, loginId: 'login-1', actorId: 8, secondFactor: true };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const tokensOf = (options: KitAuthJobsOptions = {}) =>
  new CarriedTokens(
    jobsOptions.resolve({
      keys: [KEY],
      audiences: { reports: { seconds: 60 }, billing: { seconds: 60 } },
      ...options,
    }),
  );

const tokens = tokensOf();

const sign = (
  carried: Parameters<CarriedTokens['sign']>[0],
  data: unknown,
  until?: number,
  signer = tokens,
) => signer.sign(carried, { name: NAME, data }, until);

/** The reason of the refusal, or the payload. */
function verified(
  token: string,
  data: unknown = DATA,
  verifier = tokens,
  audience: string | undefined = 'reports',
  name: unknown = NAME,
): unknown {
  try {
    return verifier.verify(token, { audience, name, data });
  } catch (error) {
    return error instanceof AuthException ? error.reason : error;
  }
}

describe('a carried user', () => {
  let pass: (milliseconds: number) => void;
  let token: string;
  beforeEach(() => {
    pass = freezeDate(1_800_000_000_500);
    token = sign(ADA, DATA);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is a short token with ids only', () => {
    expect(token).toMatch(/^kapj_[\w-]+_[\w-]{43}$/);
    expect(token.length).toBeLessThan(250);
    const payload = Buffer.from(token.slice(5, -44), 'base64url').toString();
    const [times, hash] = [[1_800_000_000, 1_800_000_060], expect.stringMatching(/^[\w-]{43}$/)];
    expect(JSON.parse(payload)).toEqual([2, 'reports', 7, ...times, 'login-1', 8, hash, hash, 1]);
    expect(verified(token)).toEqual({ ...ADA, expiresAt: 1_800_000_060 });
  });

  it('may have neither a login nor an actor, and ids that are strings', () => {
    const bare = { ...ADA, userId: 'ada' as never, loginId: undefined, actorId: undefined };
    expect(verified(sign(bare, DATA))).toEqual({ ...bare, expiresAt: 1_800_000_060 });
  });

  it('is refused when any of its characters is another one', () => {
    for (let i = 0; i < token.length; i++) {
      const others = [...ALPHABET].filter((character) => character !== token[i]);
      for (const other of i >= token.length - 2 ? others : others.slice(0, 3)) {
        expect(verified(token.slice(0, i) + other + token.slice(i + 1))).toMatch(
          /^(malformed|signature|audience)$/,
        );
      }
    }
  });

  it('is refused when it is shorter or longer', () => {
    for (let i = 0; i < token.length; i++) {
      expect(verified(token.slice(0, i) + token.slice(i + 1))).toMatch(/^(malformed|signature|audience)$/);
    }
    for (const other of [
      `${token}A`,
      `${token} `,
      `${token}\n`,
      '',
      `kapj_${'A'.repeat(2_000_000)}_${'A'.repeat(43)}`,
    ]) {
      expect(verified(other)).toBe('malformed');
    }
  });

  it.each(['null', '{}', '[1]', '[1,2]', '"reports"', '[1,"reports"', '1e400'])(
    'is refused with the payload %s, before anything else is read',
    (payload) => {
      const forged = `kapj_${Buffer.from(payload).toString('base64url')}_${'A'.repeat(43)}`;
      expect(verified(forged)).toBe('malformed');
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'nobody'])(
    'is refused for the audience %s',
    (audience) => {
      const forged = Buffer.from(JSON.stringify([2, audience, 7, 0, 9e9, 0, 0, '', ''])).toString(
        'base64url',
      );
      expect(verified(`kapj_${forged}_${'A'.repeat(43)}`, DATA, tokens, audience)).toBe('audience');
    },
  );

  it('is refused for another audience, and cannot be moved to it', () => {
    expect(verified(token, DATA, tokens, 'billing')).toBe('audience');
    expect(() => tokens.verify(token, { audience: undefined, name: NAME, data: DATA })).toThrow(
      expect.objectContaining({ reason: 'audience' }),
    );
    const payload = JSON.parse(Buffer.from(token.slice(5, -44), 'base64url').toString()) as unknown[];
    const moved = Buffer.from(JSON.stringify(payload.with(1, 'billing'))).toString('base64url');
    expect(verified(`kapj_${moved}${token.slice(-44)}`, DATA, tokens, 'billing')).toBe('signature');
  });

  it.each<unknown>([
    { month: 'June', lines: [1, 2] },
    { month: 'May', lines: [1, 2], more: null },
    null,
    { month: 'May', lines: [1, Infinity] },
  ])('is refused with the other data %j', (data) => {
    expect(verified(token, data)).toBe('data');
  });

  const named = (signed: unknown, arrived: unknown) =>
    verified(tokens.sign(ADA, { name: signed, data: DATA }), DATA, tokens, 'reports', arrived);

  it.each<[signed: unknown, arrived: unknown]>([
    ['invoice.create', 'invoice.cancel'],
    ['invoice.create', ''],
    ['invoice.create', null],
    ['invoice.create', '"invoice.create"'],
    [{ cmd: 'create' }, '{"cmd":"cancel"}'],
    [{ cmd: 'create' }, '{"cmd":"create","cmd":"cancel"}'],
    ['1', '1.0'],
    ['report', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('is refused where %j was signed and %j has arrived', (signed, arrived) => {
    expect(named(signed, arrived)).toBe('name');
  });

  it.each<[signed: unknown, arrived: unknown]>([
    ['invoice.create', 'invoice.create'],
    [{ cmd: 'create', of: { a: 1, b: 2 } }, '{"of":{"b":2,"a":1},"cmd":"create"}'],
    ['{"cmd":"create"}', { cmd: 'create' }],
    [1, '1'],
  ])('is accepted where %j was signed and %j has arrived', (signed, arrived) => {
    expect(named(signed, arrived)).toMatchObject(ADA);
  });

  it.each(['', null, true])('cannot be signed for the name %j', (name) => {
    expect(() => tokens.sign(ADA, { name, data: DATA })).toThrow(
      'must be the name of the job or the pattern of the message',
    );
  });

  it('is accepted with the same data in another order, and as it arrives', () => {
    expect(verified(token, { lines: [1, 2], month: 'May' })).toMatchObject(ADA);
    const data = { at: new Date(), amount: -0, none: undefined };
    const signed = sign(ADA, data);
    expect(verified(signed, data)).toMatchObject(ADA);
    expect(verified(signed, JSON.parse(JSON.stringify(data)))).toMatchObject(ADA);
  });

  it('is not accepted with 1e400 where null was signed', () => {
    const signed = sign(ADA, { amount: null });
    expect(verified(signed, JSON.parse('{"amount":null}'))).toMatchObject(ADA);
    expect(verified(signed, JSON.parse('{"amount":1e400}'))).toBe('data');
    expect(() => sign(ADA, { amount: Infinity })).toThrow(TypeError);
  });

  it('is not accepted with data that is nested too deeply', () => {
    const depth = 100_000;
    expect(verified(token, JSON.parse('['.repeat(depth) + ']'.repeat(depth)))).toBe('data');
  });

  it('can have data of 2 MB', () => {
    const text = 'é'.repeat(2 ** 20);
    const signed = sign(ADA, { text });
    expect(signed.length).toBe(token.length);
    expect(verified(signed, { text })).toMatchObject(ADA);
    expect(verified(signed, { text: `${text.slice(1)}x` })).toBe('data');
  });

  it('ends, with five seconds for clocks that differ', () => {
    pass(64_000);
    expect(verified(token)).toMatchObject(ADA);
    pass(500);
    expect(verified(token)).toBe('expired');
    pass(-64_500 - 5500);
    expect(verified(token)).toMatchObject(ADA);
    pass(-1);
    expect(verified(token)).toBe('malformed');
  });

  it('never ends later than it may', () => {
    const until = (time: number) => verified(sign(ADA, DATA, time));
    expect(until(1_800_000_010)).toMatchObject({ expiresAt: 1_800_000_010 });
    expect(until(1_900_000_000)).toMatchObject({ expiresAt: 1_800_000_060 });
    expect(() => sign(ADA, DATA, 1_800_000_000 - 5)).toThrow(
      expect.objectContaining({ code: 40101, reason: 'expired' }),
    );
  });

  it('is accepted while its secret is among the keys', () => {
    expect(verified(token, DATA, tokensOf({ keys: [KEY, NEXT] }))).toMatchObject(ADA);
    expect(verified(token, DATA, tokensOf({ keys: [NEXT, KEY] }))).toMatchObject(ADA);
    expect(verified(token, DATA, tokensOf({ keys: [NEXT] }))).toBe('signature');
    const renewed = sign(ADA, DATA, undefined, tokensOf({ keys: [NEXT, KEY] }));
    expect(verified(renewed)).toBe('signature');
  });

  it('needs an audience of the options', () => {
    expect(() => sign({ ...ADA, audience: 'report' }, DATA)).toThrow(
      "kit.auth.jobs.audiences has no audience 'report', only reports, billing. Add it.",
    );
  });
});
