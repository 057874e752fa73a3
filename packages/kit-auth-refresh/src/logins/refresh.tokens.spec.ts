import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthAction, LoginProof, NotedEvent, Principal, SessionEndReason } from 'kit-auth';
import type { ActiveProvider, LoginEnds } from 'kit-auth/login';
import { freezeDate, loginUser } from 'test-support';
import { type KitAuthRefreshOptions, refreshOptions } from '../refresh.options.js';
import type { LoginStore, StoredLogin } from '../stores/login-store.js';
import { FamilySeal, hashOf, newToken, writeToken } from '../tokens/refresh-token.js';
import { AccessTokens } from './access.tokens.js';
import { LoginCache } from './login.cache.js';
import { LoginCheck } from './login.check.js';
import { LoginRenewal } from './login.renewal.js';
import { RefreshTokens } from './refresh.tokens.js';

const DAY = 24 * 3600_000;
const USER = loginUser({ userId: 7, username: 'ada' });
const PROOF: LoginProof = { factors: { password: 1_800_000_000 } };
const seal = new FamilySeal('a key');

/** One login, as the database keeps it. */
class OneLogin {
  /** What others do before the next change. */
  meanwhile: () => void = () => undefined;
  finds = 0;

  constructor(public login: StoredLogin) {}

  async find(id: string) {
    this.finds++;
    return id === this.login.id ? { ...this.login } : undefined;
  }

  async rotate(_id: string, from: string, rotation: object) {
    this.meanwhile();
    return this.changed(this.login.current === from, rotation);
  }

  async noteReplay(_id: string, replayedIn: number | null, replay: object) {
    this.meanwhile();
    return this.changed(this.login.replayedIn === replayedIn, replay);
  }

  async end(_id: string, endedBy: SessionEndReason) {
    return this.changed(true, { endedBy });
  }

  private changed(isAsKnown: boolean, changes: object): boolean {
    const isChanged = isAsKnown && this.login.endedBy === null;
    this.login = isChanged ? { ...this.login, ...changes } : this.login;
    return isChanged;
  }
}

let pass: (milliseconds: number) => void;
let first: ReturnType<typeof newToken>;
let store: OneLogin;
let stamp: string | undefined;
let events: string[];
let ended: unknown[];
let cache: LoginCache;
let access: AccessTokens;
let tokens: RefreshTokens;

const provider = {
  get: () => ({ extensionName: 'test', issueToken: async () => `for ${stamp}` }),
  isIssuedFor: ({ token }: Principal, its: string) => token === `for ${its}`,
  requireIssuedFor: ({ token }: Principal, its: string) => {
    if (token !== `for ${its}`) {
      throw new Error('another stamp');
    }
  },
} as unknown as ActiveProvider;

/** Makes everything anew. */
function begin(options: KitAuthRefreshOptions = {}): void {
  const resolved = refreshOptions.resolve(options);
  const now = Date.now();
  first = newToken(7);
  store = new OneLogin({
    id: first.id,
    userId: 7,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + 30 * DAY,
    address: null,
    userAgent: null,
    proof: PROOF,
    family: seal.seal(first.id, first.family),
    current: hashOf(first.secret),
    previous: null,
    salt: null,
    rotatedAt: null,
    rotatedFrom: null,
    rotations: 0,
    replayedIn: null,
    replays: null,
    endedBy: null,
  });
  [stamp, events, ended] = ['one', [], []];
  const users = {
    idType: 'number',
    has: () => true,
    stampOf: async () => stamp,
    loadLoginUser: async () => USER,
  };
  const settings = { jwt: { expireMinutes: 720 } };
  cache = new LoginCache(resolved.settings.checkSeconds);
  access = new AccessTokens(provider, users as never, resolved, settings as never);
  const ends = { note: (end: unknown) => ended.push(end) } as unknown as LoginEnds;
  tokens = new RefreshTokens(resolved, store as unknown as LoginStore, access, cache, seal, ends);
}

const action = {
  run: (work: () => unknown) => work(),
  note: ({ type }: NotedEvent) => events.push(type),
} as unknown as AuthAction;
const client = (address: string) => ({ address, userAgent: 'browser', hasLeft: () => false });
const refresh = (token: string, address = '192.0.2.1') => tokens.refresh(token, client(address), action);
/** The next token, or the refusal. */
async function outcomeOf(token: string, address?: string): Promise<string> {
  try {
    return (await refresh(token, address))['refreshToken'] as string;
  } catch (error) {
    const { code, reason } = error as { code?: number; reason?: string };
    return code === undefined ? String(error) : [code, reason].filter(Boolean).join(' ');
  }
}

beforeEach(() => {
  pass = freezeDate();
  begin();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a refresh token', () => {
  it('is replaced, and gives an access token for the same login', async () => {
    const answer = await refresh(writeToken(first));
    expect(answer).toMatchObject({
      token: 'for one',
      user: { username: 'ada' },
      endsAt: Math.floor(store.login.expiresAt / 1000),
    });
    expect(store.login).toMatchObject({ rotations: 1, previous: hashOf(first.secret), replays: null });
    expect(await outcomeOf(answer['refreshToken'] as string)).toMatch(/^katr_7_/);
    expect(events).toEqual(['token-refreshed', 'token-refreshed']);
  });

  it('is not looked up while it is malformed', async () => {
    for (const junk of ['', 'x', 'x'.repeat(20_000), `${writeToken(first)}x`]) {
      expect(await outcomeOf(junk)).toBe('40101 malformed');
      expect(await tokens.end(junk)).toBeUndefined();
    }
    expect(store.finds).toBe(0);
  });

  it('of another login is unknown', async () => {
    expect(await outcomeOf(writeToken(newToken(7)))).toBe('40101');
  });

  it.each<[string, number, string]>([
    ['idle', 7 * DAY, 'idle'],
    ['live', 7 * DAY - 1, ''],
  ])('is %s after so many milliseconds without a refresh: %d', async (_state, milliseconds, reason) => {
    pass(milliseconds);
    expect(await outcomeOf(writeToken(first))).toMatch(reason === '' ? /^katr_/ : /^40101 idle$/);
    expect([store.login.endedBy, ended]).toEqual(
      reason === '' ? [null, []] : ['idle', [{ userId: 7, loginId: first.id, reason: 'idle' }]],
    );
  });

  it('expires with its login, however often it was refreshed', async () => {
    begin({ lifetimeDays: 30, idleDays: 30 });
    pass(30 * DAY - 1);
    const next = await outcomeOf(writeToken(first));
    expect(next).toMatch(/^katr_/);
    pass(1);
    expect(await outcomeOf(next)).toBe('40101 expired');
  });

  it('ends with its user', async () => {
    stamp = undefined;
    expect(await outcomeOf(writeToken(first))).toBe('40101 disabled');
    stamp = 'one';
    expect(await outcomeOf(writeToken(first))).toBe('40101 disabled');
  });

  it('is answered again with the same successor, and ends its login elsewhere', async () => {
    const next = await outcomeOf(writeToken(first));
    expect(await outcomeOf(writeToken(first))).toBe(next);
    expect(store.login).toMatchObject({ rotations: 1, replayedIn: 1, replays: 1 });
    expect(await outcomeOf(writeToken(first), '198.51.100.1')).toBe('40101 reused');
    expect([await outcomeOf(next), store.login.endedBy]).toEqual(['40101 reused', 'reused']);
    expect(ended).toEqual([{ userId: 7, loginId: first.id, reason: 'reused' }]);
    expect(events).toEqual(['token-refreshed', 'token-replayed', 'token-reused']);
  });

  it('ends its login as shared after replays in two generations in a row', async () => {
    let token = writeToken(first);
    for (let i = 0; i < 2; i++) {
      const next = await outcomeOf(token);
      expect(await outcomeOf(token)).toBe(next);
      token = next;
    }
    await outcomeOf(token);
    expect(await outcomeOf(token)).toBe('40101 reused');
    expect(events.at(-1)).toBe('token-shared');
  });

  it('gets the answer of the request that was faster', async () => {
    let winner: Promise<string> | undefined;
    store.meanwhile = () => {
      store.meanwhile = () => undefined;
      const { login } = store;
      store.login = { ...login, endedBy: null };
      winner = outcomeOf(writeToken(first));
    };
    const loser = await outcomeOf(writeToken(first));
    expect(loser).toBe(await winner);
    expect(store.login.rotations).toBe(1);
  });

  it('is unavailable when others change its login again and again, and can be sent again', async () => {
    store.meanwhile = () => {
      store.login = {
        ...store.login,
        replayedIn: (store.login.replayedIn ?? 0) + 1,
        current: `${Math.random()}`,
      };
    };
    const find = store.find.bind(store);
    store.find = async (id) => {
      const login = await find(id);
      return login && { ...login, current: hashOf(first.secret) };
    };
    expect(await outcomeOf(writeToken(first))).toBe('50300');
    expect(store.finds).toBe(3);
    expect(events).toEqual([]);
  });

  it.each([false, true])(
    'is refused when its login ends before the last step, in a replay: %s',
    async (isReplay) => {
      if (isReplay) {
        await outcomeOf(writeToken(first));
      }
      store.meanwhile = () => {
        store.login = { ...store.login, endedBy: 'kicked' };
      };
      expect(await outcomeOf(writeToken(first))).toBe('40101 kicked');
    },
  );

  it('ends its login once', async () => {
    expect([await tokens.end(writeToken(first)), await tokens.end(writeToken(first))]).toEqual([
      7,
      undefined,
    ]);
    expect(await outcomeOf(writeToken(first))).toBe('40101 logged-out');
  });
});

describe('a confirmed login', () => {
  const renewal = () => new LoginRenewal(store as unknown as LoginStore, access, seal);
  const confirmed = (loginId = first.id) => ({
    user: USER,
    proof: { factors: { password: 1_800_000_060 }, loginId },
  });
  const refusalOf = async (renewing: Promise<unknown>) => {
    const { code, reason } = (await renewing.catch((error: unknown) => error)) as {
      code: number;
      reason?: string;
    };
    return [code, reason];
  };

  it('gets another refresh token, and the one before says so', async () => {
    store.login = { ...store.login, replayedIn: 0, replays: 2 };
    const { answer } = await renewal().renew(confirmed());
    expect(store.login).toMatchObject({ rotations: 1, replayedIn: 0, replays: 2 });
    expect(await outcomeOf(writeToken(first))).toBe('40101 replaced');
    expect(store.login.proof.factors).toEqual({ password: 1_800_000_060 });
    expect(await outcomeOf(answer?.['refreshToken'] as string)).toMatch(/^katr_/);
  });

  it.each<[string, () => void, unknown[]]>([
    ['has ended', () => (store.login = { ...store.login, endedBy: 'kicked' }), [40101, 'kicked']],
    ['has expired', () => pass(30 * DAY), [40101, 'expired']],
    ['is unknown', () => (store.login = { ...store.login, id: '7.x' }), [40101, undefined]],
    [
      'was sealed with another key',
      () => (store.login = { ...store.login, family: 'x' }),
      [40101, 'revoked'],
    ],
    [
      'others change again and again',
      () => (store.meanwhile = () => (store.login = { ...store.login, current: `${Math.random()}` })),
      [50300, undefined],
    ],
  ])('is refused when it %s', async (_what, change, refusal) => {
    change();
    expect(await refusalOf(renewal().renew(confirmed()))).toEqual(refusal);
  });

  it('is refused for a login of another user', async () => {
    expect(await refusalOf(renewal().renew(confirmed(newToken(8).id)))).toEqual([40101, undefined]);
  });
});

describe('the check of a login', () => {
  const principal = (token = 'for one', userId = 7, loginId: string | undefined = first.id) =>
    ({ user: { ...USER, userId }, scheme: 'test', token, proof: { factors: {}, loginId } }) as Principal;
  let check: LoginCheck;
  const checkWith = (options: KitAuthRefreshOptions = {}) => {
    begin(options);
    check = new LoginCheck(
      refreshOptions.resolve(options),
      store as unknown as LoginStore,
      cache,
      provider,
      access,
    );
  };
  const stateOf = async (asked = principal()) => {
    try {
      await check.check(asked);
      return 'live';
    } catch (error) {
      return (error as { reason?: string }).reason ?? (error as Error).message;
    }
  };
  beforeEach(() => {
    checkWith();
  });

  it('shares look-ups of requests at the same time, and not again for checkSeconds', async () => {
    const states = await Promise.all(Array.from({ length: 100 }, () => stateOf()));
    // No result is older than its request.
    expect([new Set(states), store.finds]).toEqual([new Set(['live']), 2]);
    pass(4999);
    expect([check.check(principal()), store.finds]).toEqual([undefined, 2]);
    store.login = { ...store.login, endedBy: 'kicked' };
    pass(1);
    expect([await stateOf(), await stateOf(), store.finds]).toEqual(['kicked', 'kicked', 3]);
  });

  it('does not ask with checkSeconds: false, unless the login may have ended here', async () => {
    checkWith({ checkSeconds: false });
    store.login = { ...store.login, endedBy: 'kicked' };
    expect([await stateOf(), store.finds]).toEqual(['live', 0]);
    cache.markUncertain(first.id);
    expect([await stateOf(), store.finds]).toEqual(['kicked', 1]);
    cache.noteEnd(first.id, 'logged-out');
    expect([await stateOf(), store.finds]).toEqual(['logged-out', 1]);
  });

  it('leaves tokens without a login alone', async () => {
    expect(check.check({ ...principal(), proof: { factors: {} } })).toBeUndefined();
  });

  it('refuses a login of another user, without a look-up unless it is known', async () => {
    expect([await stateOf(principal('for one', 8)), store.finds]).toEqual([expect.any(String), 0]);
    await stateOf();
    expect([await stateOf(principal('for one', 8)), store.finds]).not.toContain('live');
  });

  it('refuses tokens of another stamp, of a disabled user and of a login that is over', async () => {
    expect(await stateOf(principal('for another'))).toBe('another stamp');
    begin();
    checkWith();
    stamp = undefined;
    expect(await stateOf()).toBe('disabled');
    checkWith({ checkSeconds: 3600 });
    store.login = { ...store.login, expiresAt: Date.now() + 1000 };
    expect(await stateOf()).toBe('live');
    pass(1000);
    expect(await stateOf()).toBe('expired');
  });
});
