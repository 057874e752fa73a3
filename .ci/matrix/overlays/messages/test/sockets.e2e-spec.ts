import { once } from 'node:events';
import { AddressInfo } from 'node:net';
import { INestApplication, Injectable } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { Test } from '@nestjs/testing';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Authorize, CurrentUser } from 'kit-auth';
import type { AuthPolicy, LoginUser } from 'kit-auth';
import { KitAuthSocketsModule, SocketRegistry } from 'kit-auth-sockets';
import { actingAs } from 'kit-auth-testing';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { adapter } from '../src/adapter';
import { AppModule } from '../src/app.module';

const TIMEOUT = 60_000;
const FORBIDDEN = expect.objectContaining({ code: 40300, missing: ['Never'] });
const connected: (string | undefined)[] = [];

@Injectable()
class Never implements AuthPolicy {
  can() {
    return false;
  }
}

@WebSocketGateway()
class Gateway {
  handleConnection() {
    connected.push('somebody');
  }

  @SubscribeMessage('who')
  who(@CurrentUser() user: LoginUser) {
    return { event: 'who', data: user.username };
  }

  @Authorize(Never)
  @SubscribeMessage('closed')
  closed() {
    return { event: 'closed', data: 'ran' };
  }
}

async function create(): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [AppModule, KitAuthSocketsModule],
    providers: [Gateway, Never],
  }).compile();
  return module.createNestApplication(adapter());
}

describe('gateways', () => {
  let app: INestApplication;
  const port = () => (app.getHttpServer().address() as AddressInfo).port;

  afterEach(async () => {
    await app.close();
    connected.length = 0;
  });

  it(
    'of ws have users, and refuse others',
    async () => {
      app = await create();
      await app.useWebSocketAdapter(new WsAdapter(app)).listen(0, '127.0.0.1');
      const stranger = new WebSocket(`ws://127.0.0.1:${port()}`);
      const [code] = await once(stranger, 'close');
      expect([code, connected]).toEqual([4401, []]);

      const admin = await actingAs(app, 'admin');
      const socket = new WebSocket(`ws://127.0.0.1:${port()}`, { headers: admin.headers });
      await once(socket, 'open');
      const ask = async (event: string) => {
        socket.send(JSON.stringify({ event, data: {} }));
        const [answer] = await once(socket, 'message');
        return JSON.parse(String(answer));
      };
      expect(await ask('who')).toEqual({ event: 'who', data: 'admin' });
      expect(await ask('closed')).toEqual({ event: 'exception', data: FORBIDDEN });
      const registry = app.get(SocketRegistry);
      const ended = once(socket, 'close');
      await registry.close(registry.ofUser(admin.user.userId));
      expect((await ended)[0]).toBe(4401);
    },
    TIMEOUT,
  );

  it(
    'of socket.io have users, and refuse others',
    async () => {
      app = await create();
      await app.useWebSocketAdapter(new IoAdapter(app)).listen(0, '127.0.0.1');
      const url = `http://127.0.0.1:${port()}`;
      const stranger = io(url, { forceNew: true, reconnection: false });
      const refusal = await new Promise((resolve) => stranger.once('connect_error', resolve));
      expect((refusal as { data?: unknown }).data).toMatchObject({ code: 40100 });
      stranger.close();

      const { token } = await actingAs(app, 'admin');
      const socket = io(url, { forceNew: true, reconnection: false, auth: { token } });
      const ask = (message: string) =>
        new Promise((resolve) => {
          socket.once(message, (data) => resolve(data));
          socket.once('exception', (data) => resolve(data));
          socket.emit(message, {});
        });
      expect(await ask('who')).toBe('admin');
      expect(await ask('closed')).toEqual(FORBIDDEN);
      socket.close();
    },
    TIMEOUT,
  );
});
