import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { Public, RequirePermissions } from 'kit-auth';
import { withChecksum } from 'kit-auth/tools';
import { OneTimeModule, OneTimeTokens } from 'kit-auth/store';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { actingWithKey } from 'kit-auth-keys/testing';
import {
  bearer,
  requestOf,
  type RequestParts,
  SERVERS,
  sharedDatabase,
  SlowProxy,
  type TestApp,
  testApp,
  type TestAppOptions,
} from 'test-support';
import { type ClientLogin, RefreshApp } from '../refresh/app.js';

const PORTS = { postgres: 5432, mariadb: 3306 };
/** Slow, so that few connections keep the database busy: the test measures the turns, not the speed of the process. */
const LATENCY_MS = 60;
const POOL = 5;
const CONNECTIONS = 20;
/** Requests that a connection sends without waiting for answers. */
const DEPTH = 5;
const HONEST = 12;
const BUSY = '50300';
const FLOODER = 'X-Forwarded-For: 203.0.113.1';
const OTHERS = 'X-Forwarded-For: 198.51.100.1';

@Controller('v1/lookups')
class LookupsController {
  constructor(private readonly tokens: OneTimeTokens) {}

  @Post('peek')
  @Public()
  @HttpCode(200)
  async peek(@Body() { token }: { token: string }) {
    await this.tokens.peek('reset', token);
    return {};
  }

  @Get()
  @RequirePermissions('note:read')
  list() {
    return {};
  }
}

interface Call extends RequestParts {
  readonly target: string;
}

/** A client that sends junk over many connections, as fast as it is answered. */
class Flood {
  readonly codes = new Set<string>();
  /** How many of its look-ups have run. */
  lookUps = 0;
  private readonly sockets: Socket[] = [];
  private answered = 0;
  private reached = (): void => undefined;

  constructor(
    private readonly port: number,
    private readonly junk: () => Call,
  ) {}

  /** Resolves after so many answers. */
  async start(answers: number): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      this.reached = () => this.answered >= answers && resolve();
    });
    for (let i = 0; i < CONNECTIONS; i++) {
      const socket = connect(this.port, '127.0.0.1');
      this.sockets.push(socket);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
        const codes = [...received.matchAll(/"code":(\d+)[^}]*\}/g)];
        received = received.slice((codes.at(-1)?.index ?? 0) + (codes.at(-1)?.[0].length ?? 0));
        for (const [, code = ''] of codes) {
          this.codes.add(code);
          this.answered++;
          this.lookUps += Number(code !== BUSY);
          this.send(socket);
        }
        this.reached();
      });
      for (let sent = 0; sent < DEPTH; sent++) {
        this.send(socket);
      }
    }
    await enough;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.sockets.map((socket) => {
        const closed = once(socket, 'close');
        socket.destroy();
        return closed;
      }),
    );
  }

  private send(socket: Socket): void {
    const { target, ...parts } = this.junk();
    const request = requestOf(target, { ...parts, headers: [...(parts.headers ?? []), FLOODER] });
    socket.write(request.toString('latin1').replace('Connection: close', 'Connection: keep-alive'));
  }
}

interface Kind {
  readonly what: string;
  readonly app: () => TestApp;
  readonly junk: () => Call;
  readonly honest: () => Call;
}

const secret = () => randomBytes(32).toString('base64url');
const withToken = (token: string, target = '/v1/api/auth/me'): Call => ({ target, headers: [bearer(token)] });
const posting = (target: string, json: object): Call => ({
  target,
  method: 'POST',
  body: JSON.stringify(json),
  headers: ['Content-Type: application/json'],
});
const refresh = (refreshToken: string) => posting('/v1/api/auth/token/refresh', { refreshToken });
const peek = (token: string) => posting('/v1/lookups/peek', { token });

describe.each(SERVERS)('junk that is looked up in %s, which answers slowly', (name) => {
  const database = sharedDatabase(name);
  const proxy = new SlowProxy(PORTS[name]);
  let flood: Flood;
  let jwt: RefreshApp;
  let sessions: TestApp;
  let logins: ClientLogin[];
  let session: string;
  let key: string;
  let token: string;

  beforeAll(async () => {
    await database.recreate();
    await proxy.listen();
    const { url } = database.options as { url: string };
    const slow = {
      ...database.options,
      url: Object.assign(new URL(url), { port: proxy.port }).href,
      extra: { [name === 'postgres' ? 'max' : 'connectionLimit']: POOL },
    } as NonNullable<TestAppOptions['database']>;
    jwt = await new RefreshApp({ database: slow, trustProxy: true }).start();
    sessions = await testApp({
      provider: 'session',
      database: slow,
      trustProxy: true,
      imports: [KitAuthKeysModule, OneTimeModule],
      controllers: [LookupsController],
    });
    const user = await jwt.user({ roles: [await jwt.role({ permissions: ['note:read'] })] });
    logins = [];
    for (let i = 0; i < HONEST; i++) {
      logins.push(await jwt.open(user));
    }
    session = await sessions.tokenOf(user);
    ({ key } = await actingWithKey(sessions.nest, { userId: user.id }, ['note:read']));
    ({ token } = await sessions.get(OneTimeTokens).issue({ purpose: 'reset', ttlSeconds: 3600 }));
    proxy.latencyMs = LATENCY_MS;
  });
  afterEach(() => flood.stop());
  afterAll(async () => {
    // First, because look-ups that still run would fail, and write that to the log of the next application.
    await Promise.all([jwt.close(), sessions.close()]);
    await proxy.close();
  });

  const kinds: Kind[] = [
    {
      what: 'refresh tokens',
      app: () => jwt,
      junk: () => refresh(withChecksum(`katr_1_${secret().slice(0, 21)}A_${secret()}`)),
      honest: () => refresh(logins.pop()?.refreshToken ?? ''),
    },
    {
      what: 'session tokens',
      app: () => sessions,
      junk: () => withToken(withChecksum(`kats_1_${secret()}`)),
      honest: () => withToken(session),
    },
    {
      what: 'API keys',
      app: () => sessions,
      junk: () => withToken(withChecksum(`kapk_${'0'.repeat(13)}_${secret()}`), '/v1/lookups'),
      honest: () => withToken(key, '/v1/lookups'),
    },
    {
      what: 'one-time tokens',
      app: () => sessions,
      junk: () => peek(withChecksum(`kato_${secret()}`)),
      honest: () => peek(token),
    },
  ];

  it.each(kinds)('keeps no other network from its $what', async ({ app, junk, honest }) => {
    flood = new Flood(app().port, junk);
    await flood.start(2 * CONNECTIONS);
    const before = flood.lookUps;
    const statuses: number[] = [];
    for (let i = 0; i < HONEST; i++) {
      const { target, headers = [], ...parts } = honest();
      const { status } = await app().request(target, { ...parts, headers: [...headers, OTHERS] });
      statuses.push(status);
    }
    // With turns, about 7, or 28 for a refresh, which looks up more than once. Without turns, 66 or more.
    expect((flood.lookUps - before) / HONEST).toBeLessThan(50);
    // Everybody is refused while the machine stands still for half a second.
    const refused = statuses.filter((status) => status !== 200);
    expect(refused).toEqual(refused.map(() => 503));
    expect(refused.length).toBeLessThan(HONEST / 2);
    expect([...flood.codes].sort()).toEqual([expect.stringMatching(/^400?10|^40101/), BUSY]);
  });
});
