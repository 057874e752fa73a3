import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  Post,
  Req,
  Sse,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AUTH_PROVIDER, CurrentUser, KitAuthContext, type LoginUser, Public, RequireRoles } from 'kit-auth';
import { Observable } from 'rxjs';
import {
  bearer,
  BOTH,
  EVERYWHERE,
  loginUser,
  parse,
  requestOf,
  sendUntil,
  sharedTestApp,
  type TestApp,
  testApp,
} from 'test-support';

interface SentRequest {
  readonly url: string;
  user?: LoginUser;
}
const requestIn = (context: ExecutionContext) => context.switchToHttp().getRequest<SentRequest>();

/** As in applications that come from @nestjs/passport. */
const User = createParamDecorator((_data: unknown, context: ExecutionContext) => requestIn(context).user);

/** An APP_GUARD of the root module, which Nest runs before those of imported modules. */
@Injectable()
class GlobalGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { url, user } = requestIn(context);
    return !url.endsWith('/for-ada') || user?.username === 'ada';
  }
}

/** As in an application whose handlers work with an entity. */
@Injectable()
class CustomerGuard implements CanActivate {
  constructor(private readonly context: KitAuthContext) {}

  canActivate(context: ExecutionContext): boolean {
    Object.assign(requestIn(context), { user: { customerOf: this.context.getOrThrow().username } });
    return true;
  }
}

/** The users whom an interceptor has seen. */
const intercepted: (string | undefined)[] = [];

@Injectable()
class Interceptor implements NestInterceptor {
  constructor(private readonly context: KitAuthContext) {}

  intercept(execution: ExecutionContext, next: CallHandler) {
    intercepted.push(this.context.get()?.username, requestIn(execution).user?.username);
    return next.handle();
  }
}

/** What handlers left running, each in the context of its request. */
const leftRunning: (() => LoginUser | undefined)[] = [];

@Controller('v1/who')
class WhoController {
  constructor(private readonly context: KitAuthContext) {}

  @Get() async who(@CurrentUser() user: LoginUser, @User() passport: LoginUser, @Req() request: SentRequest) {
    const seen = [user.username];
    for (let i = 0; i < 5; i++) {
      await tick();
      seen.push(this.context.getOrThrow().username);
    }
    return { seen, isTheSame: [passport, request.user, this.context.get()].every((it) => it === user) };
  }
  @Post() async post(@Body() body: { text: string }) {
    await tick();
    return { length: body.text.length, user: this.context.getOrThrow().username };
  }
  @Get('open') @Public() async open(@Req() request: SentRequest) {
    await tick();
    return { user: this.context.get() ?? null, isThere: 'user' in request };
  }
  @Get('required') @Public() required() {
    return this.context.getOrThrow();
  }
  @Get('leave') leave() {
    leftRunning.push(AsyncResource.bind(() => this.context.get()));
    return { user: leftRunning.at(-1)!()?.username };
  }
  @Get('client') @UseInterceptors(Interceptor) client() {
    return { ...this.context.client(), token: this.context.token() };
  }
  @Get('customer') @UseGuards(CustomerGuard) customer(
    @User() user: object,
    @CurrentUser() current: LoginUser,
  ) {
    return { ...user, current: current.username };
  }
  @Get('for-ada') forAda() {}
  @Get('refused') @RequireRoles('nobody-has-this') refused() {}
  @Sse('events') events(): Observable<MessageEvent> {
    return new Observable((subscriber) => {
      subscriber.next({ data: `first ${this.context.get()?.username}` });
      const timer = setInterval(() => subscriber.next({ data: `later ${this.context.get()?.username}` }), 5);
      return () => clearInterval(timer);
    });
  }
}

/** As a logger that writes its line when the response was sent. */
const lines: string[] = [];

function logAccess(nest: INestApplication): void {
  const adapter = nest.getHttpAdapter();
  const log = (url: string, user?: LoginUser) => lines.push(`${url} ${user?.username ?? '-'}`);
  if (adapter.getType() === 'fastify') {
    adapter.getInstance().addHook('onResponse', async ({ url, user }: SentRequest) => log(url, user));
  } else {
    nest.use((request: SentRequest & { originalUrl: string }, response: any, next: () => void) => {
      response.once('finish', () => log(request.originalUrl, request.user));
      next();
    });
  }
}

describe.each(EVERYWHERE)('the request context on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    controllers: [WhoController],
    providers: [Interceptor, CustomerGuard, { provide: APP_GUARD, useClass: GlobalGuard }],
    configure: logAccess,
  });
  const tokens: Record<string, string> = {};
  const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  beforeAll(async () => {
    for (const username of ['ada', 'bob', 'eve']) {
      tokens[username] = await app.tokenOf(await app.user({ username }));
    }
  });
  afterAll(() => agents.forEach((agent) => agent.destroy()));

  /** Over the connection of the agent. */
  const ask = async (path: string, name?: string, agent = agents[0]!) => {
    const headers = name === undefined ? {} : { Authorization: `Bearer ${tokens[name]}` };
    const sent = httpRequest({ port: app.port, host: '127.0.0.1', path: `/v1/who${path}`, agent, headers });
    const [response] = await once(sent.end(), 'response');
    let text = '';
    for await (const chunk of response) {
      text += chunk;
    }
    return JSON.parse(text);
  };
  const seen = (name: string) => ({ seen: Array(6).fill(name), isTheSame: true });

  it('has the user behind a body, split over packets too', async () => {
    const socket = connect(app.port, '127.0.0.1');
    const whole = requestOf('/v1/who', {
      method: 'POST',
      headers: ['Content-Type: application/json', bearer(tokens['eve']!)],
      body: JSON.stringify({ text: 'x'.repeat(50_000) }),
    });
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    for (let at = 0; at < whole.length; at += 8_000) {
      socket.write(whole.subarray(at, at + 8_000));
      await tick();
    }
    await once(socket, 'close');
    expect(parse(received).json).toEqual({ length: 50_000, user: 'eve' });
  });

  it('is empty on open routes even with a token, and getOrThrow throws 40100', async () => {
    expect(await ask('/open', 'ada')).toEqual({ user: null, isThere: false });
    const message = expect.stringContaining('this route needs no token, so none was read');
    expect(await ask('/required', 'ada')).toMatchObject({ code: 40100, message });
  });

  it('does not carry a user into the next request of a connection', async () => {
    for (const name of ['ada', 'bob', 'eve']) {
      expect(await ask('', name)).toEqual(seen(name));
      expect(await ask('/open')).toEqual({ user: null, isThere: false });
      expect((await ask('')).code).toBe(40100);
    }
  });

  it('keeps users apart when many requests run at once', async () => {
    const names = Object.keys(tokens);
    await Promise.all(
      agents.map(async (agent, i) => {
        for (let round = 0; round < 4; round++) {
          const name = names[(i + round) % names.length]!;
          expect(await ask('', name, agent)).toEqual(seen(name));
        }
      }),
    );
  });

  it('is empty for work that a handler leaves running after the response', async () => {
    leftRunning.length = 0;
    expect(await ask('/leave', 'ada')).toEqual({ user: 'ada' });
    await tick();
    expect(leftRunning.map((look) => look())).toEqual([undefined]);
  });

  it('lasts as long as a stream of events does', async () => {
    const events = requestOf('/v1/who/events', { headers: [bearer(tokens['ada']!)] });
    const received = await sendUntil(app.port, events, 'later');
    expect(received).toContain('first ada');
    expect(received).toContain('later ada');
  });

  it('is filled before interceptors run, and knows who sent the request, and with which token', async () => {
    const token = tokens['ada']!;
    const { json } = await app.request('/v1/who/client', { token, headers: ['User-Agent: test/1'] });
    expect(json).toEqual({ address: '127.0.0.1', userAgent: 'test/1', token });
    expect(intercepted.splice(0)).toEqual(['ada', 'ada']);
  });

  it('gives request.user to guards, which may replace it', async () => {
    expect(await ask('/customer', 'ada')).toEqual({ customerOf: 'ada', current: 'ada' });
    const codes = [undefined, tokens['ada'], tokens['bob']].map((token) =>
      app.codeOf(token, '/v1/who/for-ada'),
    );
    expect(await Promise.all(codes)).toEqual([40100, 200, 403]);
  });

  it('leaves request.user until the response was sent, also for a refusal of a known user', async () => {
    lines.length = 0;
    await app.request('/v1/who', { token: tokens['ada'] });
    await app.request('/v1/who/refused', { token: tokens['bob'] });
    await app.request('/v1/who');
    expect(lines).toEqual(['/v1/who ada', '/v1/who/refused bob', '/v1/who -']);
  });
});

describe.each(BOTH)('a client that leaves while its token is resolved, on %s', (platform) => {
  it('leaves nobody behind in the context', async () => {
    const resolutions: { settle: () => void; look: () => LoginUser | undefined }[] = [];
    const provider = {
      extensionName: 'slow',
      issueToken: async () => 'token',
      invalidate: async () => undefined,
      resolveToken: () =>
        new Promise<LoginUser>((resolve) => {
          const look = AsyncResource.bind(() => app.get(KitAuthContext).get());
          resolutions.push({ settle: () => resolve(loginUser()), look });
        }),
    };
    const app: TestApp = await testApp({
      platform,
      provider: false,
      providers: [{ provide: AUTH_PROVIDER, useValue: provider }],
    });
    const closed = new Promise((resolve) => {
      app.server.once('connection', (socket: Socket) => socket.once('close', resolve));
    });
    const socket = connect(app.port, '127.0.0.1');
    socket.write(requestOf('/v1/api/auth/me', { headers: [bearer('token')] }));
    while (resolutions.length === 0) {
      await tick();
    }
    socket.destroy();
    await closed;
    await tick();
    resolutions[0]!.settle();
    await tick();
    await tick();
    expect(resolutions[0]!.look()).toBeUndefined();
  });
});
