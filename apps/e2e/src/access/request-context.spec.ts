import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Injectable,
  type MessageEvent,
  Post,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AuthException,
  AuthManager,
  CurrentUser,
  KitAuthContext,
  type LoginUser,
  Public,
} from 'kit-auth';
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

@Injectable()
class WhoIsThere implements NestInterceptor {
  constructor(private readonly context: KitAuthContext) {}
  intercept(execution: ExecutionContext, next: CallHandler) {
    execution.switchToHttp().getRequest().seenByInterceptor = this.context.get()?.username;
    return next.handle();
  }
}

/** What handlers left running, each in the context of its request. */
const leftRunning: (() => LoginUser | undefined)[] = [];

@Controller('v1/who')
class WhoController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  async who(@CurrentUser() user?: LoginUser) {
    const before = this.context.get()?.username;
    await tick();
    return { before, after: this.context.get()?.username, parameter: user?.username };
  }

  @Post()
  async post(@Body() body: unknown) {
    await tick();
    return { body, user: this.context.getOrThrow().username };
  }

  @Public()
  @Get('anonymous')
  async anonymous() {
    await tick();
    return { user: this.context.get() ?? null };
  }

  @Public()
  @Get('required')
  required() {
    return this.context.getOrThrow();
  }

  @Get('leave')
  leave() {
    const look = AsyncResource.bind(() => this.context.get());
    leftRunning.push(look);
    return { user: look()?.username };
  }

  @Get('client')
  client() {
    return { ...this.context.client(), token: this.context.token() };
  }

  @Get('slow')
  async slow() {
    const seen: (string | undefined)[] = [];
    for (let i = 0; i < 5; i++) {
      await tick();
      seen.push(this.context.get()?.username);
    }
    return { seen };
  }

  @Get('interceptor')
  @UseInterceptors(WhoIsThere)
  interceptor(@CurrentUser() user: LoginUser) {
    return { user: user.username };
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return new Observable((subscriber) => {
      subscriber.next({ data: `first ${this.context.get()?.username}` });
      const timer = setInterval(() => subscriber.next({ data: `later ${this.context.get()?.username}` }), 5);
      return () => clearInterval(timer);
    });
  }
}

/** One connection that stays open. */
class KeepAlive {
  private readonly socket: Socket;
  private received = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk) => (this.received += chunk.toString()));
  }

  async ask(...targets: [target: string, header?: string][]): Promise<any[]> {
    const requests = targets.map(([target, header]) =>
      requestOf(target, { headers: header === undefined ? [] : [header] })
        .toString('latin1')
        .replace('Connection: close\r\n', ''),
    );
    this.socket.write(requests.join(''));
    const answers: any[] = [];
    while (answers.length < targets.length) {
      const head = this.received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(this.received.slice(0, head))?.[1]);
      if (head < 0 || this.received.length < head + 4 + length) {
        await once(this.socket, 'data');
        continue;
      }
      answers.push(parse(this.received.slice(0, head + 4 + length)).json);
      this.received = this.received.slice(head + 4 + length);
    }
    return answers;
  }

  close(): void {
    this.socket.destroy();
  }
}

describe.each(EVERYWHERE)('the request context on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, controllers: [WhoController], providers: [WhoIsThere] });
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    tokens['admin'] = await app.adminToken();
    for (const username of ['ada', 'bob', 'eve']) {
      tokens[username] = await app.tokenOf(await app.user({ username }));
    }
  });

  const as = (name: string) => bearer(tokens[name]!);

  it('has the user before and after a wait, for the parameter and for services', async () => {
    const { json } = await app.request('/v1/who', { token: tokens['ada'] });
    expect(json).toEqual({ before: 'ada', after: 'ada', parameter: 'ada' });
  });

  it('has the user behind a body, split over packets too', async () => {
    const { json } = await app.request('/v1/who', { method: 'POST', token: tokens['bob'], json: { a: 1 } });
    expect(json).toEqual({ body: { a: 1 }, user: 'bob' });
    const socket = connect(app.port, '127.0.0.1');
    const body = JSON.stringify({ text: 'x'.repeat(50_000) });
    const whole = requestOf('/v1/who', {
      method: 'POST',
      headers: ['Content-Type: application/json', as('eve')],
      body,
    });
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    for (let at = 0; at < whole.length; at += 8_000) {
      socket.write(whole.subarray(at, at + 8_000));
      await tick();
    }
    await once(socket, 'close');
    expect(parse(received).json.user).toBe('eve');
  });

  it('is empty on open routes even with a token, and getOrThrow throws 40100', async () => {
    expect((await app.request('/v1/who/anonymous', { token: tokens['ada'] })).json).toEqual({
      user: null,
    });
    const required = await app.request('/v1/who/required', { token: tokens['ada'] });
    expect([required.status, required.json.code]).toEqual([401, 40100]);
    expect(required.json.message).toContain('this route needs no token, so none was read');
  });

  it('does not carry a user into the next request of a connection', async () => {
    const connection = new KeepAlive(app.port);
    for (const name of ['ada', 'bob', 'eve', 'admin']) {
      const [own, anonymous, missing] = await connection.ask(
        ['/v1/who', as(name)],
        ['/v1/who/anonymous'],
        ['/v1/who'],
      );
      expect(own.after).toBe(name);
      expect(anonymous).toEqual({ user: null });
      expect(missing.code).toBe(40100);
      expect(await connection.ask(['/v1/who/anonymous'])).toEqual([{ user: null }]);
    }
    connection.close();
  });

  it('keeps users apart when many requests run at once', async () => {
    const names = Object.keys(tokens);
    const connections = Array.from({ length: 8 }, () => new KeepAlive(app.port));
    await Promise.all(
      connections.map(async (connection, i) => {
        for (let round = 0; round < 4; round++) {
          const name = names[(i + round) % names.length]!;
          const [slow, anonymous] = await connection.ask(['/v1/who/slow', as(name)], ['/v1/who/anonymous']);
          expect(slow.seen).toEqual(Array(5).fill(name));
          expect(anonymous).toEqual({ user: null });
        }
      }),
    );
    connections.forEach((connection) => connection.close());
  });

  it('is empty for work that a handler leaves running after the response', async () => {
    leftRunning.length = 0;
    const { json } = await app.request('/v1/who/leave', { token: tokens['ada'] });
    expect(json).toEqual({ user: 'ada' });
    await tick();
    expect(leftRunning.map((look) => look())).toEqual([undefined]);
  });

  it('lasts as long as a stream of events does', async () => {
    const events = requestOf('/v1/who/events', { headers: [as('ada')] });
    const received = await sendUntil(app.port, events, 'later');
    expect(received).toContain('first ada');
    expect(received).toContain('later ada');
    expect(received).not.toContain('undefined');
  });

  it('is filled before interceptors run', async () => {
    expect((await app.request('/v1/who/interceptor', { token: tokens['bob'] })).json).toEqual({
      user: 'bob',
    });
  });

  it('knows who sent the request, and with which token', async () => {
    const { json } = await app.request('/v1/who/client', {
      token: tokens['ada'],
      headers: ['User-Agent: test/1'],
    });
    expect(json).toEqual({ address: '127.0.0.1', userAgent: 'test/1', token: tokens['ada'] });
  });

  it('is empty outside of requests, and can be opened for a job', async () => {
    const context = app.get(KitAuthContext);
    expect(context.get()).toBeUndefined();
    expect(() => context.getOrThrow()).toThrow(AuthException);
    const user = await app.get(AuthManager).getLoginUser(tokens['ada']!);
    const seen = await context.run(user, async () => {
      await tick();
      return context.getOrThrow().username;
    });
    expect(seen).toBe('ada');
    expect(context.get()).toBeUndefined();
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
      controllers: [WhoController],
      providers: [{ provide: AUTH_PROVIDER, useValue: provider }],
    });
    const closed = new Promise((resolve) => {
      app.server.once('connection', (socket: Socket) => socket.once('close', resolve));
    });
    const socket = connect(app.port, '127.0.0.1');
    socket.write(requestOf('/v1/who', { headers: [bearer('token')] }));
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
