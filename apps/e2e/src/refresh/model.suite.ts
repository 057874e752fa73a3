import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { AuthEvents, type AuthException, type Client } from 'kit-auth';
import { TokenResolver } from 'kit-auth/login';
import { type DatabaseName, freezeDate, sharedDatabase } from 'test-support';
import { RefreshTokens } from '../../../../packages/kit-auth-refresh/src/logins/refresh.tokens.js';
import { RefreshApp } from './app.js';

/** More of them find rarer mistakes. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 10);
const GRACE_SECONDS = 30;
const CHECK_SECONDS = 5;
const REUSED = '40101 reused';
const IDLE_SECONDS = 7 * 24 * 3600;

/** One tab of the browser that refreshes in a round, under a lock as those of kit-auth-browser. */
interface Tab {
  instance: 0 | 1;
  /** How many replies are lost before one arrives. The tab asks again after each. */
  lost: number;
}

interface Round {
  /** Seconds since the round before. */
  wait: number;
  tabs: Tab[];
  /** Milliseconds between two requests of a round, where they follow each other. */
  pause: number;
}

interface Theft {
  /** The round in which the thief copies the token, and how many rounds later it is used. */
  round: number;
  later: number;
  /** Whether the thief is faster than the tabs of that round. */
  isFirst: boolean;
  instance: 0 | 1;
}

const tab = fc.record<Tab>({ instance: fc.constantFrom(0, 1), lost: fc.nat(2) });
const round = fc.record<Round>({
  wait: fc.oneof(fc.nat(60), fc.integer({ min: 60, max: 3600 }), fc.nat(IDLE_SECONDS - 100)),
  tabs: fc.array(tab, { minLength: 1, maxLength: 4 }),
  // At most 4 tabs with 3 requests each: all within the time that a replay is answered.
  pause: fc.nat(Math.floor(((GRACE_SECONDS - 1) * 1000) / 11)),
});
/** Replies get lost now and then, and not in two rounds in a row. */
const rounds = fc.array(round, { minLength: 1, maxLength: 5 }).map((all) =>
  all.map((step, i): Round => ({
    ...step,
    tabs: step.tabs.map((each) => ({ ...each, lost: i % 2 === 0 ? each.lost : 0 })),
  })),
);
const theft = fc.record<Theft>({
  round: fc.nat(3),
  later: fc.nat(2),
  isFirst: fc.boolean(),
  instance: fc.constantFrom(0, 1),
});

const clientAt = (address: string, userAgent = 'browser/1.0'): Client => ({
  address,
  userAgent,
  hasLeft: () => false,
});
const HOME = clientAt('2001:db8:1:2::1');
/** In the same network, as an address that changes from time to time. */
const HOME_LATER = clientAt('2001:db8:1:2:ffff::9');
const ELSEWHERE = [
  clientAt('2001:db8:1:3::1'),
  clientAt('203.0.113.7'),
  clientAt('2001:db8:1:2::1', 'thief/1.0'),
];

/** What a client gets: new tokens, or the code and the reason of the refusal. */
interface Reply {
  state: string;
  token?: string;
  refreshToken?: string;
}

/**
 * Browsers with several tabs, replies that get lost and a thief, against two instances. Without HTTP, which a refresh does
 * not depend on.
 */
export function describeRefreshModel(database: DatabaseName): void {
  describe(`two instances with refresh tokens on ${database}`, () => {
    const shared = sharedDatabase(database);
    let advance: (milliseconds: number) => void;
    let apps: RefreshApp[] = [];

    beforeAll(async () => {
      await shared.recreate();
      for (const synchronize of [true, false]) {
        const options = { ...shared.options, synchronize } as never;
        const app = new RefreshApp({ database: options });
        apps.push(await app.start());
      }
      advance = freezeDate();
    });
    afterAll(async () => {
      jest.useRealTimers();
      await Promise.all(apps.map((app) => app.close()));
      apps = [];
    });

    const outcomeOf = async (resolving: () => Promise<Reply> | Reply): Promise<Reply> => {
      try {
        return await resolving();
      } catch (error) {
        const { code, reason } = error as AuthException;
        expect(code).toEqual(expect.any(Number));
        return { state: `${code} ${reason}` };
      }
    };
    const refresh = (refreshToken: string, instance: 0 | 1, client: Client): Promise<Reply> =>
      outcomeOf(async () => {
        const app = apps[instance]!;
        const answer = await app
          .get(RefreshTokens)
          .refresh(refreshToken, client, app.get(AuthEvents).begin());
        return { state: 'refreshed', ...(answer as unknown as { token: string; refreshToken: string }) };
      });

    /** The storage that the tabs of a browser share. */
    class Browser {
      refreshToken = '';
      token = '';
      /** All refresh tokens so far. */
      readonly issued: string[] = [];

      async logIn(user: { id: number; username: string }): Promise<this> {
        this.keep(await apps[0]!.open(user));
        return this;
      }

      /** Does nothing after a refusal. */
      keep({ token, refreshToken }: { token?: string; refreshToken?: string }): void {
        if (token !== undefined && refreshToken !== undefined) {
          this.refreshToken = refreshToken;
          this.token = token;
          this.issued.push(refreshToken);
        }
      }

      /** @returns what the tabs got */
      async refresh({ tabs, pause }: Round): Promise<Reply[]> {
        const read = this.refreshToken;
        const results: Reply[] = [];
        for (const { instance, lost } of tabs) {
          if (this.refreshToken !== read) {
            results.push({ state: 'refreshed', refreshToken: this.refreshToken });
            continue;
          }
          for (let i = 0; i < lost; i++) {
            await refresh(read, instance, HOME_LATER);
            advance(pause);
          }
          const reply = await refresh(read, instance, HOME);
          this.keep(reply);
          results.push(reply);
          advance(pause);
        }
        return results;
      }
    }

    /** `live`, or the reason why the access token no longer is, on both instances. */
    const statesOf = (token: string) =>
      Promise.all(
        apps.map(async (app) => {
          const { state } = await outcomeOf(async () => {
            await app.get(TokenResolver).resolve(token);
            return { state: 'live' };
          });
          return state;
        }),
      );

    /** Refreshes in a round that succeeds. */
    async function expectRefreshed(browser: Browser, each: Round): Promise<void> {
      const results = await browser.refresh(each);
      expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['refreshed']));
      expect(new Set(results.map(({ refreshToken }) => refreshToken)).size).toBe(1);
      expect(await statesOf(browser.token)).toEqual(['live', 'live']);
    }

    it('never log an honest browser out, and never have two successors', async () => {
      const user = await apps[0]!.user();
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          const browser = await new Browser().logIn(user);
          for (const each of all) {
            advance(each.wait * 1000);
            await expectRefreshed(browser, each);
          }
          const successors = [...new Set(browser.issued)];
          expect(successors).toHaveLength(all.length + 1);
          // No token but the last one opens anything.
          advance((GRACE_SECONDS + 1) * 1000);
          const { state } = await refresh(successors[successors.length - 2] as string, 0, HOME);
          expect([state, (await refresh(browser.refreshToken, 1, HOME)).state]).toEqual([REUSED, REUSED]);
        }),
        { numRuns: RUNS },
      );
    });

    it('notice a thief elsewhere as soon as both have refreshed', async () => {
      const user = await apps[0]!.user();
      await fc.assert(
        fc.asyncProperty(rounds, theft, fc.constantFrom(...ELSEWHERE), async (all, crime, place) => {
          const browser = await new Browser().logIn(user);
          const stolenIn = Math.min(crime.round, all.length - 1);
          const usedIn = Math.min(stolenIn + crime.later, all.length - 1);
          let stolen = '';
          for (const [i, each] of all.entries()) {
            advance(each.wait * 1000);
            if (i === stolenIn) {
              stolen = browser.refreshToken;
            }
            if (i < usedIn) {
              await expectRefreshed(browser, each);
              continue;
            }
            const steal = () => refresh(stolen, crime.instance, place);
            const before = crime.isFirst ? await steal() : undefined;
            const [loot] = await Promise.all([before ?? steal(), browser.refresh(each)]);
            const tokens = [browser, loot];
            advance(CHECK_SECONDS * 1000);
            for (const { token, refreshToken } of tokens) {
              if (token !== undefined && refreshToken !== undefined) {
                expect(new Set(await statesOf(token))).not.toContain('live');
                expect((await refresh(refreshToken, 0, HOME)).state).toBe(REUSED);
                expect((await refresh(refreshToken, 1, place)).state).toBe(REUSED);
              }
            }
            return;
          }
        }),
        { numRuns: RUNS },
      );
    });
  });
}
