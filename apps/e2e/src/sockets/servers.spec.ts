import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { CurrentUser, type LoginUser, OptionalUser, Public, RequireRoles, RequireToken } from 'kit-auth';
import { TypeOrmUserStore } from 'kit-auth/typeorm';
import { BOTH, sharedTestApp, until } from 'test-support';
import { DataSource } from 'typeorm';
import { Chatting } from './gateways.js';
import { type Adapter, SocketsApp } from './app.js';

@WebSocketGateway({ path: 'bare' })
class BarePath extends Chatting {}
@WebSocketGateway({ path: '/slash/' })
class TrailingSlash extends Chatting {}
@WebSocketGateway()
class NoPath extends Chatting {}
@Injectable()
class Inheriting extends BarePath {}
@WebSocketGateway({ namespace: '/with-slash' })
class WithSlash extends Chatting {}
@WebSocketGateway({ namespace: 'bare' })
class BareNamespace extends Chatting {}
@WebSocketGateway({ namespace: /^\/dynamic-/ })
class Dynamic extends Chatting {}
@WebSocketGateway({
  namespace: (name: string, _: object, next: (error: null, found: boolean) => void) =>
    next(null, name.startsWith('/by-function')),
})
class ByFunction extends Chatting {}
@WebSocketGateway({ namespace: '/' })
class RootNamespace extends Chatting {}
@WebSocketGateway({ namespace: 'mine' })
@Public()
class PublicNamespace extends Chatting {}

/** No handler needs a token. */
@Injectable()
class Greeting {
  @SubscribeMessage('who')
  @OptionalUser()
  who(@CurrentUser() user: LoginUser | undefined) {
    return { event: 'who', data: `${user?.username}` };
  }
}
@WebSocketGateway({ path: 'greeting' })
@Public()
class GreetingPath extends Greeting {}
@WebSocketGateway({ namespace: 'greeting' })
@Public()
class GreetingNamespace extends Greeting {}

const SERVERS = {
  ws: [BarePath, TrailingSlash, NoPath, GreetingPath],
  'socket.io': [
    NoPath,
    WithSlash,
    BareNamespace,
    Dynamic,
    ByFunction,
    RootNamespace,
    PublicNamespace,
    GreetingNamespace,
  ],
};
const PLACES = {
  ws: ['bare', 'slash', ''],
  'socket.io': ['', 'with-slash', 'bare', 'dynamic-1', 'by-function'],
} as const;

describe.each(['ws', 'socket.io'] satisfies Adapter[])('servers of %s', (adapter) => {
  const app = sharedTestApp(
    new SocketsApp({
      adapter,
      provider: 'session',
      providers: SERVERS[adapter],
      sockets: { maxPerUser: 300 },
    }),
  );
  afterEach(() => {
    jest.restoreAllMocks();
    app.leaveAll();
  });

  it.each(PLACES[adapter])('need a token at "%s", however the gateway writes it', async (place) => {
    expect(await app.connect(undefined, place).closed()).toMatch(/^4401 missing|^40100/);
    const user = await app.user();
    const client = await app.connected(await app.tokenOf(user), place);
    expect(await client.ask('who')).toMatchObject({ username: user.username });
  });

  it('read a token that a handler may have', async () => {
    const user = await app.user();
    const client = await app.connected(await app.tokenOf(user), 'greeting');
    expect(await client.ask('who')).toBe(user.username);
    expect(await (await app.connected(undefined, 'greeting')).ask('who')).toBe('undefined');
  });

  // One for the request, and one for each of the two hints of a logout.
  it('look a user up once for a hint, whatever the number of sockets and tokens', async () => {
    const user = await app.user();
    const tokens: string[] = [];
    for (let i = 0; i < 20; i++) {
      tokens.push(await app.tokenOf(user));
    }
    const place = PLACES[adapter][1];
    const clients = tokens.flatMap((token) => Array.from({ length: 10 }, () => app.connected(token, place)));
    await Promise.all(clients);
    const lookUps = jest.spyOn(app.get(TypeOrmUserStore), 'loadLoginUser');
    const another = await app.tokenOf(user);
    lookUps.mockClear();
    await app.call(another, 'POST', 'logout');
    await until(() => lookUps.mock.calls.length > 1 || undefined);
    await (await clients[0])?.ask('who'); // the login of each token has been checked
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(3);
    expect(app.registry.ofUser(user.id)).toHaveLength(200);
    await app.call(tokens[0], 'POST', 'logout');
    await until(() => app.registry.ofUser(user.id).length === 190 || undefined);
  });

  it('admit no more sockets of a user than allowed, when all come at once', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const clients = Array.from({ length: 310 }, () => app.connect(token, PLACES[adapter][1]));
    await until(() => clients.filter(({ end }) => end !== undefined).length === 10 || undefined);
    await until(() => clients.every(({ end, isOpen }) => isOpen || end !== undefined) || undefined);
    expect(app.registry.ofUser(user.id)).toHaveLength(300);
  });
});

function decoratedGateways(adapter: Adapter) {
  const at = (place: string) =>
    WebSocketGateway(adapter === 'ws' ? { path: `/${place}` } : { namespace: place });
  class Plain {
    @SubscribeMessage('who')
    who(@CurrentUser() user: LoginUser | undefined) {
      return { event: 'who', data: String(user?.username) };
    }
  }
  @at('plain')
  class Undecorated extends Plain {}
  @at('editors')
  @RequireRoles('editor')
  class OfEditors extends Plain {}
  @at('handler')
  class WithHandler extends Plain {
    @SubscribeMessage('mine')
    @RequireToken()
    mine(): void {}
  }
  @at('hook')
  class WithHook extends Plain {
    @RequireToken()
    handleConnection(): void {}
  }
  return [Undecorated, OfEditors, WithHandler, WithHook];
}

describe.each(['ws', 'socket.io'] satisfies Adapter[])('gateways with decorators only, of %s', (adapter) => {
  const app = sharedTestApp(
    new SocketsApp({
      adapter,
      provider: 'session',
      providers: decoratedGateways(adapter),
      sockets: { gateways: 'decorated' },
    }),
  );
  afterEach(() => app.leaveAll());

  it('are open where they have none', async () => {
    expect(await (await app.connected(undefined, 'plain')).ask('who')).toBe('undefined');
  });

  it.each(['editors', 'handler', 'hook'])('need a token at "%s"', async (place) => {
    expect(await app.connect(undefined, place).closed()).toMatch(/^4401 missing|^40100/);
    await app.connected(await app.adminToken(), place);
  });
});

describe('an application that ends', () => {
  it('waits for the checks of logins before its database is closed', async () => {
    const app = await new SocketsApp({ provider: 'session' }).start();
    const [one, other] = [await app.adminToken(), await app.adminToken()];
    await app.connected(one);
    const store = app.get(TypeOrmUserStore);
    const database = app.get(DataSource);
    const load = store.loadLoginUser.bind(store);
    const lookUps = jest.spyOn(store, 'loadLoginUser').mockImplementation(async (id) => {
      for (let turn = 0; turn < 2000 && database.isInitialized; turn++) {
        await setImmediate();
      }
      return load(id);
    });
    await app.call(other, 'POST', 'logout');
    await until(() => lookUps.mock.calls.length > 1 || undefined); // after that of the request
    await app.close();
    const results = await Promise.allSettled(lookUps.mock.results.map(({ value }) => value));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});

describe.each(BOTH)('a gateway that inherits on %s', (platform) => {
  it('needs a token like the other', async () => {
    const app = await new SocketsApp({ platform, provider: 'session', providers: [Inheriting] }).start();
    expect(await app.connect(undefined, 'bare').closed()).toBe('4401 missing');
  });
});
