import { hasSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { metrics, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import bcrypt from 'bcrypt';
import {
  AUTH_USER_STORE,
  AuthManager,
  type AuthUserStore,
  KitAuthModule,
  Public,
  type UserId,
} from 'kit-auth';
import { KitAuthOtelModule } from 'kit-auth-otel';
import { PASSWORD, sharedTestApp, testApp } from 'test-support';
import { OtelSdk } from './sdk.js';

const sdk = new OtelSdk();
beforeAll(() => sdk.start());
afterAll(() => sdk.stop());

const USERNAME = 'ada@mail.example';
const ID = 'usr_4711' as never as UserId;
const passwordHash = bcrypt.hashSync(PASSWORD, 10);

/** Its look-ups take a while, in a span of their own. */
class Users implements AuthUserStore {
  readonly idType = 'string';
  isBroken = false;

  async findByUsername(username: string) {
    return username === USERNAME
      ? { id: ID, username, passwordHash, enabled: true, securityStamp: 's' }
      : undefined;
  }

  loadLoginUser(userId: UserId) {
    return sdk.inSpan('database', async (span) => {
      await setImmediate();
      span.end();
      if (this.isBroken) {
        throw new Error(`no answer for ${userId}`);
      }
      const names = { username: USERNAME, nickname: 'Countess' };
      return { userId, ...names, superAdmin: false, roles: [], permissions: [] };
    });
  }
}

const users = new Users();

@Module({ providers: [{ provide: AUTH_USER_STORE, useValue: users }] })
class UsersModule {}

@Controller('v1/diaries')
class DiariesController {
  @Get(':id')
  read() {
    return sdk.inSpan('handler', (span) => {
      span.end();
      return 'a day';
    });
  }

  @Get('public/today')
  @Public()
  today() {
    return 'sunny';
  }
}

const options = {
  core: KitAuthModule.forRoot({
    users: UsersModule,
    password: { cost: 10, concurrency: 1, queue: 1 },
    login: { throttle: { addressFailures: 100 } },
  }),
  session: { store: 'memory' as const },
  database: false as const,
  imports: [KitAuthOtelModule],
  controllers: [DiariesController],
};

const named = (name: string) => sdk.spans.filter((span) => span.name === name);
const parentOf = ({ parentSpanContext }: ReadableSpan) =>
  sdk.spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId);
/** From a span to the first one of its trace. */
const wayOf = (span: ReadableSpan | undefined): string[] =>
  span === undefined ? [] : [span.name, ...wayOf(parentOf(span))];

describe.each([
  { platform: 'express', provider: 'jwt', scheme: 'jwt-stateless' },
  { platform: 'fastify', provider: 'session', scheme: 'session-token' },
] as const)('kit-auth-otel on $platform with $provider', ({ platform, provider, scheme }) => {
  const app = sharedTestApp({
    ...options,
    platform,
    provider,
    configure: (nest) => nest.use(sdk.requestSpans),
  });
  let token: string;
  beforeAll(async () => {
    token = await app.tokenOf(USERNAME);
  });
  beforeEach(() => sdk.clearSpans());

  const read = (day: string, as?: string) =>
    app.request(`/v1/diaries/${day}`, {
      ...(as !== undefined && { token: as }),
      headers: [`x-span: GET ${day}`],
    });

  it('counts decisions by outcome and reason', async () => {
    const change = await sdk.changes('kit_auth.decisions', async () => {
      await app.request('/v1/diaries/public/today');
      await read('1', token);
      await read('2', token);
      await read('3');
      await read('4', 'x');
    });
    const via = { 'kit_auth.via': 'http' };
    const refused = { ...via, 'kit_auth.outcome': 'refused' };
    expect(change).toEqual({
      unit: '{decision}',
      points: expect.arrayContaining([
        { attributes: { ...via, 'kit_auth.outcome': 'open', 'kit_auth.reason': 'public' }, value: 1 },
        { attributes: { ...via, 'kit_auth.outcome': 'admitted', 'kit_auth.scheme': scheme }, value: 2 },
        { attributes: { ...refused, 'error.type': '40100' }, value: 1 },
        {
          attributes: { ...refused, 'error.type': '40101', 'kit_auth.reason': 'malformed' },
          value: 1,
        },
      ]),
    });
    expect(change.points).toHaveLength(4);
  });

  it('counts logins by outcome, and attempts that are throttled', async () => {
    const [logins, throttled] = await sdk.allChanges(
      ['kit_auth.logins', 'kit_auth.throttled_attempts'],
      async () => {
        await app.login(USERNAME);
        for (let i = 0; i < 6; i++) {
          await app.login('guessed', 'a wrong one 4711');
        }
      },
    );
    expect(logins).toEqual({
      unit: '{login}',
      points: expect.arrayContaining([
        { attributes: { 'kit_auth.outcome': 'succeeded' }, value: 1 },
        { attributes: { 'kit_auth.outcome': 'wrong-credentials' }, value: 5 },
        { attributes: { 'kit_auth.outcome': 'throttled' }, value: 1 },
      ]),
    });
    expect(throttled).toEqual({
      unit: '{attempt}',
      points: [{ attributes: { 'kit_auth.limit': 'login-account' }, value: 1 }],
    });
  });

  it('measures hashes, their time in the queue and look-ups in seconds', async () => {
    const verify = { 'kit_auth.hash.operation': 'verify' };
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementation((async () => {
      now += 2000;
      return false;
    }) as never);
    const [hashes, waits, lookups] = await sdk.allChanges(
      ['kit_auth.hash.duration', 'kit_auth.hash.time_in_queue', 'kit_auth.store.duration'],
      async () => {
        // One password is hashed, another one waits, and there is no place for the others.
        const manager = app.get(AuthManager);
        await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => manager.login(name, PASSWORD)));
      },
    );
    [clock, compare].forEach((spy) => spy.mockRestore());
    expect([hashes?.unit, waits?.unit, lookups?.unit]).toEqual(['s', 's', 's']);
    expect(hashes?.points).toEqual([{ attributes: verify, value: { count: 2, sum: expect.closeTo(4, 6) } }]);
    expect(waits?.points).toEqual(
      expect.arrayContaining([
        { attributes: verify, value: { count: 2, sum: expect.closeTo(2, 6) } },
        { attributes: { ...verify, 'error.type': '50300' }, value: { count: 2, sum: expect.closeTo(0, 6) } },
      ]),
    );
    expect(lookups?.points).toContainEqual({
      attributes: { 'kit_auth.store.name': 'users', 'kit_auth.store.operation': 'findByUsername' },
      value: { count: 4, sum: expect.closeTo(0, 6) },
    });
  });

  it('nests spans under the span of their request, also under concurrency', async () => {
    const days = Array.from({ length: 8 }, (_, day) => String(day));
    await Promise.all(days.map((day) => read(day, token)));
    for (const name of ['kit_auth.resolve', 'handler']) {
      expect(named(name).map(wayOf).sort()).toEqual(days.map((day) => [name, `GET ${day}`]));
    }
    const lookup = 'kit_auth.store users.loadLoginUser';
    const ways = named('database').map(wayOf).sort();
    expect(ways).toEqual(
      provider === 'jwt' ? [] : days.map((day) => ['database', lookup, 'kit_auth.resolve', `GET ${day}`]),
    );
    expect(named('kit_auth.resolve')[0]).toMatchObject({
      attributes: { 'kit_auth.scheme': scheme, 'kit_auth.outcome': 'succeeded' },
      status: { code: SpanStatusCode.UNSET },
    });
  });

  it('records the spans of a login', async () => {
    await app.login(USERNAME, PASSWORD, 'x-span: login');
    expect(sdk.spans.map(wayOf)).toEqual(
      expect.arrayContaining([
        ['kit_auth.store users.findByUsername', 'login'],
        ['kit_auth.hash verify', 'login'],
        ['database', 'kit_auth.store users.loadLoginUser', 'login'],
      ]),
    );
    expect(named('kit_auth.hash verify')[0]?.attributes).toEqual({
      'kit_auth.hash.operation': 'verify',
      'kit_auth.outcome': 'succeeded',
      'kit_auth.hash.time_in_queue': expect.any(Number),
    });
  });

  it('marks a span as an error only if something failed', async () => {
    await read('1', 'x');
    expect(named('kit_auth.resolve')[0]).toMatchObject({
      attributes: { 'kit_auth.outcome': 'refused', 'error.type': '40101', 'kit_auth.reason': 'malformed' },
      status: { code: SpanStatusCode.UNSET },
    });
    users.isBroken = true;
    await app.login(USERNAME);
    users.isBroken = false;
    expect(named('kit_auth.store users.loadLoginUser')[0]).toMatchObject({
      attributes: { 'kit_auth.outcome': 'failed', 'error.type': '50300' },
      status: { code: SpanStatusCode.ERROR },
      events: [],
    });
  });

  it('exports no names, ids, tokens, passwords or paths', async () => {
    await app.login(USERNAME, 'a wrong one 4711');
    await app.login('nobody@mail.example');
    await app.request('/v1/diaries/secret?token=secret', { token: `${token}x` });
    await read('today', token);
    const spans = sdk.spans.filter(({ instrumentationScope: { name } }) => name === 'kit-auth');
    expect(spans.length).toBeGreaterThan(3);
    const exported = JSON.stringify([
      spans.map(({ name, attributes, status, events, links }) => [name, attributes, status, events, links]),
      (await sdk.metrics()).map(({ name, points }) => [name, points.map(({ attributes }) => attributes)]),
    ]);
    const names = [USERNAME, 'ada', 'mail.example', 'Countess', '4711', 'usr_', '127.0.0.1'];
    const secrets = [PASSWORD, 'wrong one', token, 'secret'];
    const places = ['diaries', 'v1', 'today', 'UsersModule', 'DiariesController'];
    for (const secret of [...names, ...secrets, ...places]) {
      expect(exported).not.toContain(secret);
    }
  });
});

it('applications of one process are counted once, until the last one closes', async () => {
  const [one, other] = await Promise.all([testApp(options), testApp(options)]);
  const count = (app: typeof one) =>
    sdk.changes('kit_auth.decisions', () => app.request('/v1/diaries/public/today'));
  expect((await count(one)).points).toMatchObject([{ value: 1 }]);
  await one.close();
  expect((await count(other)).points).toMatchObject([{ value: 1 }]);
  await other.close();
  for (const name of ['kit-auth:resolve', 'kit-auth:hash', 'kit-auth:store']) {
    expect(tracingChannel(name).hasSubscribers).toBe(false);
  }
  for (const name of ['kit-auth:decision', 'kit-auth:login', 'kit-auth:throttle']) {
    expect(hasSubscribers(name)).toBe(false);
  }
});

it('an application without a meter provider says so at its start', async () => {
  const provider = metrics.getMeterProvider();
  metrics.disable();
  const { logs } = await testApp(options);
  metrics.setGlobalMeterProvider(provider);
  expect(logs.ours()).toContain(
    'log [auth] OpenTelemetry records no metrics: start its SDK, with a metric reader, before the application',
  );
});
