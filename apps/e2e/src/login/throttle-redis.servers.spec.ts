import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { ALL_BUT_DATE, type RedisServer, startCluster, startSentinel } from 'test-support';
import { CLUSTERS, type GivenClient, SENTINELS } from '../session/redis-store.js';
import { FIVE_WRONG, ThrottledApp } from './throttled-app.js';

/** What the guide on Redis sets for counters. */
const FAIL_FAST = { maxRetriesPerRequest: 0, socketTimeout: 800 };
/** What it sets if the client of the application has other values. */
const ANSWERS = { keyPrefix: '', stringNumbers: false };

function countersOf({ options }: GivenClient): Redis | Cluster {
  const client = options.client as unknown as Redis | Cluster;
  return isCluster(client)
    ? client.duplicate([], {
        ...ANSWERS,
        enableOfflineQueue: false,
        redisOptions: { ...client.options.redisOptions, ...FAIL_FAST, ...ANSWERS },
      })
    : client.duplicate({ ...ANSWERS, ...FAIL_FAST, enableOfflineQueue: false });
}

function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster;
}

/** Two instances of an application, one with ioredis 5 and one with ioredis 6. */
class Instances {
  private constructor(
    readonly one: ThrottledApp,
    readonly two: ThrottledApp,
    readonly close: () => Promise<void>,
  ) {}

  static async over(connect: (name: string) => Promise<GivenClient>): Promise<Instances> {
    const given = await Promise.all(['ioredis 5', 'ioredis 6'].map(connect));
    const clients = given.map(countersOf);
    clients.forEach((client) => client.on('error', () => undefined));
    await Promise.all(clients.map((client) => once(client, 'ready')));
    const [one, two] = clients.map(
      (storeClient) =>
        new ThrottledApp({
          throttle: {
            limiter: (options) => new RateLimiterRedis({ ...options, storeClient }),
            addressFailures: 1000,
            maxWaitSeconds: 600,
          },
        }),
    ) as [ThrottledApp, ThrottledApp];
    await Promise.all([one.start(), two.start()]);
    return new Instances(one, two, async () => {
      await Promise.all([one.close(), two.close()]);
      clients.forEach((client) => client.disconnect());
      given.forEach((client) => client.close());
    });
  }

  /** Whether each of these names has one budget for both instances. */
  async share(names: readonly string[]): Promise<boolean> {
    for (const name of names) {
      const wrong = [...(await this.one.guess(3, name)), ...(await this.two.guess(2, name))];
      const later = [await this.one.try(name, 'wrong'), await this.two.try(name, 'wrong')];
      if (wrong.join() !== FIVE_WRONG.join() || !later.every((outcome) => /^42900/.test(String(outcome)))) {
        return false;
      }
    }
    return true;
  }

  /** Both let the right password in, and limit guesses at accounts whose counters are on any node. */
  async expectLogins(): Promise<void> {
    for (const [prefix, app] of Object.entries({ 'one-': this.one, 'two-': this.two })) {
      expect(await app.try('ada', 'right')).toBe(200);
      // Names of its own: Redis may be back after the first one, and share what that has counted since.
      const guesses = await Promise.all(namesOf(prefix).map((name) => app.guess(12, name)));
      for (const [first, ...later] of guesses) {
        expect(first).toBe(40110);
        expect(later.join()).toMatch(/\b42900\b/);
        expect(later.join()).not.toMatch(/\b50\d/);
      }
    }
  }

  /** Tries other names until both instances share their budgets. Gives up before the timeout of the test. */
  async shareAgain(): Promise<void> {
    const end = performance.now() + 25_000;
    for (let round = 0; !(await this.share(namesOf(`again-${round}-`))); round++) {
      expect(performance.now()).toBeLessThan(end);
    }
  }
}

/** As many that every node of a cluster has the counters of some. */
const namesOf = (prefix: string) => Array.from({ length: 8 }, (_, i) => prefix + i);

let servers: RedisServer[];
let instances: Instances;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE] });
});
afterEach(async () => {
  jest.useRealTimers();
  await instances.close();
  await Promise.all(servers.map((server) => server.dispose()));
});

describe('the login throttle with ioredis 5 and 6', () => {
  it('counts in a cluster, and in the process while a node is down', async () => {
    servers = await startCluster();
    instances = await Instances.over((name) => CLUSTERS[name]!(servers));
    expect(await instances.share(namesOf('before-'))).toBe(true);
    await servers[1]!.kill();
    await instances.expectLogins();
    await servers[1]!.start('--cluster-enabled', 'yes');
    await instances.shareAgain();
  }, 60_000);

  it('counts in Redis with a sentinel, and in the process until the failover', async () => {
    const { primary, replica, sentinel } = await startSentinel('kit-auth');
    servers = [primary, replica, sentinel];
    instances = await Instances.over((name) => SENTINELS[name]!('kit-auth', sentinel.port));
    expect(await instances.share(['before'])).toBe(true);
    await primary.kill();
    await instances.expectLogins();
    await instances.shareAgain();
  }, 60_000);
});
