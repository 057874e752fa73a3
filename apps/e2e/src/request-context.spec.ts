import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  type DynamicModule,
  Get,
  Injectable,
  type MessageEvent,
  Module,
  Post,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import {
  AUTH_PROVIDER,
  AuthException,
  AuthManager,
  AuthUser,
  AuthUserStatus,
  CurrentUser,
  KitAuthContext,
  KitAuthModule,
  type LoginUser,
  Public,
} from 'kit-auth';
import bcrypt from 'bcrypt';
import { Observable } from 'rxjs';
import { database } from './databases.js';
import { EVERYWHERE, type Implementation, IMPLEMENTATIONS } from './implementations.js';
import { bearer, tokenOf } from './login.js';
import { BOTH, type Running, start } from './platforms.js';
import { parse, postJson, request, requestOf } from './raw-http.js';

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

@Module({})
class WhoApp {
  static with(implementation: Implementation): DynamicModule {
    return {
      module: WhoApp,
      imports: [
        database(),
        KitAuthModule.forRoot({ password: { cost: 10 } }),
        IMPLEMENTATIONS[implementation],
      ],
      controllers: [WhoController],
      providers: [WhoIsThere],
    };
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

describe.each(EVERYWHERE)(
  'the request context on $platform with $implementation',
  ({ platform, implementation }) => {
    let running: Running;
    const tokens: Record<string, string> = {};
    beforeAll(async () => {
      running = await start(WhoApp.with(implementation), { platform });
      tokens['admin'] = await tokenOf(running.port);
      const passwordHash = await bcrypt.hash('right', 10);
      for (const username of ['ada', 'bob', 'eve']) {
        await running.app.get(getRepositoryToken(AuthUser)).save({
          username,
          nickname: username,
          passwordHash,
          status: AuthUserStatus.ENABLED,
          roles: [],
        });
        tokens[username] = (await running.app.get(AuthManager).login(username, 'right')).token;
      }
    });
    afterAll(() => running.app.close());

    const as = (name: string) => bearer(tokens[name]!);

    it('has the user before and after a wait, for the parameter and for services', async () => {
      const { json } = await request(running.port, '/v1/who', { headers: [as('ada')] });
      expect(json).toEqual({ before: 'ada', after: 'ada', parameter: 'ada' });
    });

    it('has the user behind a body, split over packets too', async () => {
      const { json } = await postJson(running.port, '/v1/who', { a: 1 }, [as('bob')]);
      expect(json).toEqual({ body: { a: 1 }, user: 'bob' });
      const socket = connect(running.port, '127.0.0.1');
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

    it('has nobody on open routes, whatever token comes along, and getOrThrow says 40100', async () => {
      expect((await request(running.port, '/v1/who/anonymous', { headers: [as('ada')] })).json).toEqual({
        user: null,
      });
      const required = await request(running.port, '/v1/who/required', { headers: [as('ada')] });
      expect([required.status, required.json.code]).toEqual([401, 40100]);
    });

    it('does not carry a user into the next request of a connection', async () => {
      const connection = new KeepAlive(running.port);
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
      const connections = Array.from({ length: 20 }, () => new KeepAlive(running.port));
      await Promise.all(
        connections.map(async (connection, i) => {
          for (let round = 0; round < 10; round++) {
            const name = names[(i + round) % names.length]!;
            const [slow, anonymous] = await connection.ask(['/v1/who/slow', as(name)], ['/v1/who/anonymous']);
            expect(slow.seen).toEqual(Array(5).fill(name));
            expect(anonymous).toEqual({ user: null });
          }
        }),
      );
      connections.forEach((connection) => connection.close());
    });

    it('is empty for what a handler left running, once the response is gone', async () => {
      leftRunning.length = 0;
      const { json } = await request(running.port, '/v1/who/leave', { headers: [as('ada')] });
      expect(json).toEqual({ user: 'ada' });
      await tick();
      expect(leftRunning.map((look) => look())).toEqual([undefined]);
    });

    it('lasts as long as a stream of events does', async () => {
      const socket = connect(running.port, '127.0.0.1');
      socket.write(requestOf('/v1/who/events', { headers: [as('ada')] }));
      let received = '';
      for await (const chunk of socket) {
        received += (chunk as Buffer).toString();
        if (received.includes('later')) {
          break;
        }
      }
      expect(received).toContain('first ada');
      expect(received).toContain('later ada');
      expect(received).not.toContain('undefined');
    });

    it('is filled before interceptors run', async () => {
      expect((await request(running.port, '/v1/who/interceptor', { headers: [as('bob')] })).json).toEqual({
        user: 'bob',
      });
    });

    it('knows who sent the request, and with which token', async () => {
      const { json } = await request(running.port, '/v1/who/client', {
        headers: [as('ada'), 'User-Agent: test/1'],
      });
      expect(json).toEqual({ address: '127.0.0.1', userAgent: 'test/1', token: tokens['ada'] });
    });

    it('is empty outside of requests, and can be opened for a job', async () => {
      const context = running.app.get(KitAuthContext);
      expect(context.get()).toBeUndefined();
      expect(() => context.getOrThrow()).toThrow(AuthException);
      const user = await running.app.get(AuthManager).getLoginUser(tokens['ada']!);
      const seen = await context.run(user, async () => {
        await tick();
        return context.getOrThrow().username;
      });
      expect(seen).toBe('ada');
      expect(context.get()).toBeUndefined();
    });
  },
);

describe.each(BOTH)('a client that leaves while its token is resolved, on %s', (platform) => {
  it('leaves nobody behind in the context', async () => {
    const resolutions: { settle: () => void; look: () => LoginUser | undefined }[] = [];
    const user = { userId: 1, username: 'a', nickname: 'A', superAdmin: false, roles: [], permissions: [] };
    const provider = {
      extensionName: 'slow',
      issueToken: async () => 'token',
      invalidate: async () => undefined,
      resolveToken: () =>
        new Promise<LoginUser>((resolve) => {
          const look = AsyncResource.bind(() => running.app.get(KitAuthContext).get());
          resolutions.push({ settle: () => resolve({ ...user }), look });
        }),
    };
    class SlowApp {}
    const running: Running = await start(
      {
        module: SlowApp,
        imports: [database(), KitAuthModule.forRoot({ password: { cost: 10 } })],
        controllers: [WhoController],
        providers: [{ provide: AUTH_PROVIDER, useValue: provider }],
      },
      { platform },
    );
    const closed = new Promise((resolve) => {
      running.app.getHttpServer().once('connection', (socket: Socket) => socket.once('close', resolve));
    });
    const socket = connect(running.port, '127.0.0.1');
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
    await running.app.close();
  });
});
