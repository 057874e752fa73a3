import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { postgresBusOptions } from './postgres-bus.options.js';
import { redisBusOptions } from './redis-bus.options.js';

const redisProblems = (options: object) => redisBusOptions.resolve(options).problems;
const postgresProblems = (options: object) => postgresBusOptions.resolve(options).problems;

describe('the options of the bus on Redis', () => {
  it('accept a url, and the clients of both packages that can subscribe', () => {
    const sentinelRootNodes = [{ host: '127.0.0.1', port: 1 }];
    for (const options of [
      { url: 'redis://127.0.0.1' },
      { url: 'rediss://user:p%2Fw@redis.example:6380/1', channelPrefix: 'shop.v2:' },
      { client: createClient() },
      { client: createCluster({ rootNodes: [] }) },
      { client: createSentinel({ name: 'x', sentinelRootNodes }) },
      { client: new Redis({ lazyConnect: true }) },
    ]) {
      expect(redisProblems(options)).toEqual([]);
    }
  });

  it('refuse anything else, and name the key, but no password', () => {
    const url = 'kit.auth.redisBus.url must be like redis://user:password@host:port.';
    expect(redisProblems({ url: 'redis://:hunter2/@host' })).toEqual([expect.stringContaining(url)]);
    expect(redisProblems({ url: 'http://:hunter2@host' })).toEqual([expect.stringContaining(url)]);
    expect(redisProblems({ url: 'redis://:hunter2/@host' }).join()).not.toContain('hunter2');
    for (const client of [createClientPool(), {}, 'redis://host', null]) {
      expect(redisProblems({ client })).toEqual([
        expect.stringContaining('kit.auth.redisBus.client must be a client, cluster or sentinel of redis'),
      ]);
    }
    for (const options of [{}, { url: 'redis://host', client: createClient() }]) {
      expect(redisProblems(options)).toEqual([
        'kit.auth.redisBus.url or kit.auth.redisBus.client must be given, and not both: where Redis is',
      ]);
    }
    for (const channelPrefix of ['', 'a b:', 'x'.repeat(33)]) {
      expect(redisProblems({ url: 'redis://host', channelPrefix }).join()).toMatch(
        /^kit\.auth\.redisBus\.channelPrefix must /,
      );
    }
  });
});

describe('the options of the bus on PostgreSQL', () => {
  it('accept a url or options of a client', () => {
    expect(postgresProblems({ url: 'postgresql://u:p@host/db?sslmode=require' })).toEqual([]);
    expect(postgresProblems({ config: { host: '/var/run/postgresql' } })).toEqual([]);
  });

  it('refuse anything else, and name the key, but no password', () => {
    for (const url of ['postgres://u:hunter2#@host/db', 'mysql://u:hunter2@host/db', 'nonsense']) {
      const problems = postgresProblems({ url });
      expect(problems).toEqual([
        expect.stringContaining(
          'kit.auth.postgresBus.url must be like postgres://user:password@host:port/database',
        ),
      ]);
      expect(problems.join()).not.toContain('hunter2');
    }
    expect(postgresProblems({ config: 'host' })).toEqual([
      "kit.auth.postgresBus.config must be an object with options of pg's Client",
    ]);
    expect(postgresProblems({})).toEqual([
      'kit.auth.postgresBus.url or kit.auth.postgresBus.config must be given, and not both: where PostgreSQL is',
    ]);
  });
});
