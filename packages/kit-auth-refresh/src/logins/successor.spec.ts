import { describe, expect, it } from '@jest/globals';
import type { KitAuthRefreshOptions } from '../refresh.options.js';
import { refreshOptions } from '../refresh.options.js';
import type { StoredLogin } from '../stores/login-store.js';
import { hashOf, newSalt, newToken, successorOf } from '../tokens/refresh-token.js';
import { nextRotation, replayOf, successorIn } from './successor.js';

const ROTATED_AT = 1_800_000_000_000;
const token = newToken(7);
const salt = newSalt();
const next = successorOf(token.secret, salt);

/** A login whose token was replaced once, by a client at home. */
const REPLACED = {
  current: hashOf(next),
  previous: hashOf(token.secret),
  salt,
  rotatedAt: ROTATED_AT,
  rotatedFrom: 'home',
  rotations: 5,
  replayedIn: null,
  replays: null,
} as StoredLogin;

interface Case {
  login?: Partial<StoredLogin>;
  options?: KitAuthRefreshOptions;
  from?: string;
  afterSeconds?: number;
  secret?: Buffer;
}

/** The secret of the successor and whether it is new, or why there is none. */
function successor({ login, options, from = 'home', afterSeconds = 0, secret = token.secret }: Case) {
  const { settings } = refreshOptions.resolve(options);
  const presented = {
    token: { ...token, secret },
    login: { ...REPLACED, ...login },
    from,
    now: ROTATED_AT + afterSeconds * 1000,
  };
  return successorIn(presented, settings);
}

describe('the successor of a refresh token', () => {
  it('is another one each time while nothing has replaced it, and follows from its salt', () => {
    const unused = { current: hashOf(token.secret), previous: null, salt: null, rotatedAt: null };
    const [one, other] = [successor({ login: unused }), successor({ login: unused })];
    expect(one).toMatchObject({ salt: expect.stringMatching(/^[\w-]{22}$/) });
    expect(one).not.toEqual(other);
    const { secret, salt: its } = one as { secret: Buffer; salt: string };
    expect(secret).toEqual(successorOf(token.secret, its));
  });

  it.each<[string, Case]>([
    ['at once', {}],
    ['at the end of the grace', { afterSeconds: 30 }],
    ['at the end of a longer grace', { afterSeconds: 300, options: { graceSeconds: 300 } }],
    ['from elsewhere, where anyone may', { from: 'elsewhere', options: { graceFor: 'anyone' } }],
    ['after a replay in this generation', { login: { replayedIn: 5, replays: 1 } }],
    ['after a replay in the last one', { login: { replayedIn: 4, replays: 1 } }],
    ['as often as ever in the second generation in a row', { login: { replayedIn: 5, replays: 2 } }],
    ['with a clock that was set back', { afterSeconds: -3600 }],
  ])('is the same %s', (_when, given) => {
    expect(successor(given)).toEqual({ secret: next });
  });

  it.each<[string, Case]>([
    ['after the grace', { afterSeconds: 30.001 }],
    ['without a grace', { options: { graceSeconds: 0 } }],
    ['from elsewhere', { from: 'elsewhere' }],
    ['once the successor was used', { login: { current: hashOf(newToken(7).secret) } }],
    ['with another secret', { secret: newToken(7).secret }],
    ['where no time says when', { login: { rotatedAt: null } }],
  ])('counts as reused %s', (_when, given) => {
    expect(successor(given)).toBe('reused');
  });

  it('counts as shared in the third generation with a replay', () => {
    expect(successor({ login: { replayedIn: 4, replays: 2 } })).toBe('shared');
    expect(successor({ login: { replayedIn: 4, replays: 2 }, options: { graceFor: 'anyone' } })).toBe(
      'shared',
    );
    // Whoever is elsewhere or late is told what counts more.
    expect(successor({ login: { replayedIn: 4, replays: 2 }, from: 'elsewhere' })).toBe('reused');
  });

  it('is none where a confirmed login has replaced it', () => {
    expect(successor({ login: { salt: null }, afterSeconds: 3600 })).toBe('replaced');
  });
});

describe('the generations of a login', () => {
  it('begin again after what the column holds', () => {
    expect([nextRotation(0), nextRotation(2 ** 31 - 2), nextRotation(2 ** 31 - 1)]).toEqual([
      1,
      2 ** 31 - 1,
      0,
    ]);
  });

  it.each([
    [
      { rotations: 5, replayedIn: null, replays: null },
      { replayedIn: 5, replays: 1 },
    ],
    [
      { rotations: 5, replayedIn: 4, replays: 1 },
      { replayedIn: 5, replays: 2 },
    ],
    [
      { rotations: 5, replayedIn: 4, replays: null },
      { replayedIn: 5, replays: 1 },
    ],
    [
      { rotations: 5, replayedIn: 3, replays: 2 },
      { replayedIn: 5, replays: 1 },
    ],
    [
      { rotations: 0, replayedIn: 2 ** 31 - 1, replays: 1 },
      { replayedIn: 0, replays: 2 },
    ],
  ])('count replays in a row: %j', (login, replay) => {
    expect(replayOf(login)).toEqual(replay);
  });
});
