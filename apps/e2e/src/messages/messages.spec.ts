import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ArgumentsHost, Catch, UseFilters } from '@nestjs/common';
import { type ClientProxy } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { IllegalStateException, RequireToken } from 'kit-auth';
import { firstValueFrom } from 'rxjs';
import { io, type Socket } from 'socket.io-client';
import { BOTH, pairsOf, sharedTestApp, testApp } from 'test-support';
import { WebSocket } from 'ws';
import { NotesGateway } from './notes.gateway.js';
import { clientOf, hybrid, SERVICES } from './services.js';
import { AnyUser, handled, OPEN, REFUSING, RefusingByItself } from './message-handlers.js';

const BODY = {
  statusCode: 401,
  code: 40100,
  error: 'TOKEN_MISSING',
  message: expect.stringContaining('token'),
};
const classes = [...Object.values({ ...OPEN, ...REFUSING }), RefusingByItself];
/** What Nest answers to an exception that it does not know. */
const INTERNAL = { status: 'error', message: 'Internal server error' };

beforeEach(() => {
  handled.length = 0;
});

interface Connection {
  /** The answer, or the exception. */
  ask(event: string, data?: object): Promise<{ event: string; data: unknown }>;
  close(): void;
}

async function webSocket(port: number): Promise<Connection> {
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(client, 'open');
  return {
    ask: async (event, data = {}) => {
      client.send(JSON.stringify({ event, data }));
      const [answer] = (await once(client, 'message')) as [Buffer];
      return JSON.parse(answer.toString());
    },
    close: () => client.terminate(),
  };
}

async function socketIo(port: number): Promise<Connection> {
  const client: Socket = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true });
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));
  return {
    ask: (message, sent = {}) =>
      new Promise((resolve) => {
        client.onAny((event: string, data: unknown) => {
          client.offAny();
          resolve({ event, data });
        });
        client.emit(message, sent);
      }),
    close: () => client.close(),
  };
}

const ADAPTERS = { ws: webSocket, 'socket.io': socketIo };

// Nest adds listeners for each handler of a gateway.
const { defaultMaxListeners } = EventEmitter;
beforeAll(() => {
  EventEmitter.defaultMaxListeners = 50;
});
afterAll(() => {
  EventEmitter.defaultMaxListeners = defaultMaxListeners;
});

describe.each(pairsOf(BOTH, ['ws', 'socket.io'] as const))(
  'the messages of a gateway on %s with %s',
  (platform, adapter) => {
    const app = sharedTestApp({
      platform,
      providers: [AnyUser, NotesGateway, ...classes],
      configure: (nest) => (adapter === 'ws' ? nest.useWebSocketAdapter(new WsAdapter(nest)) : undefined),
    });
    let connection: Connection;
    beforeAll(async () => {
      connection = await ADAPTERS[adapter](app.port);
    });
    afterAll(() => connection.close());

    it.each(Object.keys(OPEN))('are accepted: %s', async (message) => {
      expect(await connection.ask(message)).toEqual({ event: 'ran', data: message });
    });

    it.each(Object.keys(REFUSING))('are refused with our body: %s', async (message) => {
      expect(await connection.ask(message)).toEqual({ event: 'exception', data: BODY });
      expect(handled).toEqual([]);
    });

    it('get no body of an AuthException that a handler throws, because Nest asks no global filter', async () => {
      expect(await connection.ask('own refusal')).toMatchObject({ event: 'exception', data: INTERNAL });
    });

    it('can have a token of the client, which their handler reads', async () => {
      const note = { token: await app.issueToken(), text: 'x' };
      const created = { event: 'created', data: { text: 'x', author: 'ada' } };
      expect(await connection.ask('create', note)).toEqual(created);
      expect(await connection.ask('create', { ...note, token: 'wrong' })).toEqual({
        event: 'exception',
        data: expect.objectContaining({ statusCode: 401, code: 40101 }),
      });
    });
  },
);

describe.each(pairsOf(BOTH, Object.keys(SERVICES)))(
  'the messages of a microservice on %s: %s',
  (platform, server) => {
    let client: ClientProxy;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const started = await SERVICES[server]!({ platform, providers: [AnyUser], controllers: classes });
      close = started.close;
      client = await clientOf(started.service);
    });
    afterAll(async () => {
      await client.close();
      await close();
    });
    const ask = (message: string) => firstValueFrom(client.send<unknown>(message, {}));
    const tell = async (message: string) => {
      await firstValueFrom(client.emit(`${message} event`, { from: message }), { defaultValue: undefined });
      await ask('undecorated'); // after the event, on the same connection
    };

    it.each(Object.keys(OPEN))('are accepted: %s', async (message) => {
      expect(await ask(message)).toEqual({ event: 'ran', data: message });
      await tell(message);
      expect(handled).toEqual([message, message, 'undecorated']);
    });

    it.each(Object.keys(REFUSING))('are refused with our body: %s', async (message) => {
      await expect(ask(message)).rejects.toEqual(BODY);
      await tell(message);
      expect(handled).toEqual(['undecorated']);
    });

    it('get the body of an AuthException that a handler throws, where Nest asks the filter of kit-auth', async () => {
      const body = server === 'a hybrid application' ? INTERNAL : expect.objectContaining({ code: 40300 });
      await expect(ask('own refusal')).rejects.toEqual(body);
    });
  },
);

describe('handlers that refuse every message', () => {
  const inherited = REFUSING['inherited']!;

  it('are named at start-up', async () => {
    const { app, close } = await hybrid({ providers: [inherited], controllers: [inherited] });
    expect(app.logs.ours().filter((line) => line.includes('message'))).toEqual([
      expect.stringContaining(
        'warn [auth] message handlers that refuse every message: Inheriting.answer, Inheriting.note. They require a token',
      ),
    ]);
    await close();
  });

  it('are open if kit-auth is off, or not imported, in another application of the process', async () => {
    await testApp({ providers: [AnyUser, ...classes], controllers: classes });
    for (const options of [
      { options: { enabled: false } },
      { core: false, provider: false, database: false },
    ] as const) {
      const { app, service, close } = await hybrid({
        ...options,
        providers: [AnyUser, ...classes],
        controllers: classes,
      });
      const client = await clientOf(service);
      const connection = await socketIo(app.port);
      for (const message of Object.keys(REFUSING)) {
        const ran = { event: 'ran', data: message };
        expect(await firstValueFrom(client.send<unknown>(message, {}))).toEqual(ran);
        expect(await connection.ask(message)).toEqual(ran);
      }
      expect(app.logs.ours().filter((line) => line.includes('message handlers'))).toEqual([]);
      connection.close();
      await client.close();
      await close();
    }
  });

  it('are the only ones that decorators of a gateway may protect: Nest asks no guards about connections', async () => {
    @WebSocketGateway()
    class Welcoming {
      @RequireToken() handleConnection() {}
      @RequireToken() @SubscribeMessage('welcoming') answer() {}
    }
    @RequireToken()
    @WebSocketGateway()
    class Pushing {
      handleConnection() {}
    }
    await expect(testApp({ providers: [Welcoming, Pushing] })).rejects.toThrow(
      new IllegalStateException(
        'Access decorators have no effect on connections of gateways: Welcoming.handleConnection(), Pushing. Remove ' +
          'the decorators and authenticate the client in handleConnection() with AuthManager.getLoginUser(), or import ' +
          "KitAuthSocketsModule of 'kit-auth-sockets', which authenticates clients at the handshake.",
      ),
    );
    await testApp({ providers: [Welcoming, Pushing], options: { enabled: false } });
  });

  it('throw a WsException for the filters of the application, and note one decision', async () => {
    @Catch(WsException)
    class OwnFilter {
      catch(exception: WsException, host: ArgumentsHost) {
        const own = { event: 'own', data: exception.getError() };
        host.switchToWs().getClient<WebSocket>().send(JSON.stringify(own));
      }
    }
    @WebSocketGateway()
    @UseFilters(OwnFilter)
    class Filtered {
      @RequireToken() @SubscribeMessage('filtered') answer() {}
    }
    const decisions: unknown[] = [];
    const listener = (message: unknown) => decisions.push(message);
    subscribe('kit-auth:decision', listener);
    const app = await testApp({
      providers: [Filtered],
      configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)),
    });
    const connection = await webSocket(app.port);
    expect(await connection.ask('filtered')).toEqual({ event: 'own', data: BODY });
    connection.close();
    unsubscribe('kit-auth:decision', listener);
    expect(decisions).toEqual([{ via: 'ws', outcome: 'refused', code: 40100 }]);
  });
});
