import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { postgresBusOptions } from './postgres-bus.options.js';
import { redisBusOptions } from './redis-bus.options.js';

const problemsOf = { redis: redisBusOptions, postgres: postgresBusOptions };
type Bus = keyof typeof problemsOf;
const CLIENT = 'kit.auth.redisBus.client must be a client, cluster or sentinel of redis';
const URL = 'kit.auth.redisBus.url must be like redis://user:password@host:port.';
const PREFIX = 'kit.auth.redisBus.channelPrefix must ';
const POSTGRES_URL = 'kit.auth.postgresBus.url must be like postgres://user:password@host:port/database';
const where = (bus: string, other: string, server: string) =>
  `kit.auth.${bus}Bus.url or kit.auth.${bus}Bus.${other} must be given, and not both: where ${server} is`;

describe('the options of a bus', () => {
  it.each<[bus: Bus, options: object]>([
    ['redis', { url: 'redis://127.0.0.1' }],
    ['redis', { url: 'rediss://user:p%2Fw@redis.example:6380/1', channelPrefix: 'shop.v2:' }],
    ['redis', { client: createClient() }],
    ['redis', { client: createCluster({ rootNodes: [] }) }],
    ['redis', { client: createSentinel({ name: 'x', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] }) }],
    ['redis', { client: new Redis({ lazyConnect: true }) }],
    ['postgres', { url: 'postgresql://u:p@host/db?sslmode=require' }],
    ['postgres', { config: { host: '/var/run/postgresql' } }],
  ])('accept of %s %#', (bus, options) => {
    expect(problemsOf[bus].resolve(options).problems).toEqual([]);
  });

  it.each<[bus: Bus, options: object, problem: string]>([
    ['redis', { url: 'redis://:hunter2/@host' }, URL],
    ['redis', { url: 'http://:hunter2@host' }, URL],
    ...[createClientPool(), {}, 'redis://host', null].map((client): [Bus, object, string] => [
      'redis',
      { client },
      CLIENT,
    ]),
    ['redis', {}, where('redis', 'client', 'Redis')],
    ['redis', { url: 'redis://host', client: createClient() }, where('redis', 'client', 'Redis')],
    ...['', 'a b:', 'x'.repeat(33)].map((channelPrefix): [Bus, object, string] => [
      'redis',
      { url: 'redis://host', channelPrefix },
      PREFIX,
    ]),
    ...['postgres://u:hunter2#@host/db', 'mysql://u:hunter2@host/db', 'nonsense'].map(
      (url): [Bus, object, string] => ['postgres', { url }, POSTGRES_URL],
    ),
    [
      'postgres',
      { config: 'host' },
      "kit.auth.postgresBus.config must be an object with options of pg's Client",
    ],
    ['postgres', {}, where('postgres', 'config', 'PostgreSQL')],
  ])('refuse of %s %#, and name no password', (bus, options, problem) => {
    const { problems } = problemsOf[bus].resolve(options);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems.join()).not.toContain('hunter2');
  });
});
