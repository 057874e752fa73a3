import { once } from 'node:events';
import { AddressInfo, Server } from 'node:net';
import { Controller, INestApplication, INestMicroservice, Scope } from '@nestjs/common';
import {
  ClientProxy,
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { Test } from '@nestjs/testing';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Public, RequireRoles, RequireToken } from 'kit-auth';
import { firstValueFrom } from 'rxjs';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { adapter } from '../src/adapter';
import { AppModule } from '../src/app.module';

const TIMEOUT = 60_000;
const REFUSED = {
  statusCode: 401,
  code: 40100,
  error: 'TOKEN_MISSING',
  message: expect.any(String),
  text: expect.any(String),
  language: 'en',
};
const handled: string[] = [];

function ran(data: string) {
  handled.push(data);
  return { event: 'ran', data };
}

@RequireToken()
@WebSocketGateway()
@Controller()
class Messages {
  constructor() {
    this.bound = this.bound.bind(this);
  }

  @SubscribeMessage('protected')
  @MessagePattern('protected')
  protected() {
    return ran('protected');
  }

  @RequireRoles('SUPER_ADMIN')
  @SubscribeMessage('bound')
  @MessagePattern('bound')
  bound() {
    return ran('bound');
  }

  @EventPattern('event')
  event({ from }: { from?: string }) {
    ran(`event of ${from}`);
  }

  @Public()
  @SubscribeMessage('public')
  @MessagePattern('public')
  public() {
    return ran('public');
  }
}

@RequireToken()
@Controller({ scope: Scope.REQUEST })
class ScopedMessages {
  @MessagePattern('scoped')
  scoped() {
    return ran('scoped');
  }
}

async function create(): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [AppModule],
    providers: [Messages],
    controllers: [Messages, ScopedMessages],
  }).compile();
  return module.createNestApplication(adapter());
}

describe('messages', () => {
  let app: INestApplication;
  let client: { close(): unknown };

  afterEach(async () => {
    await client.close();
    await app.close();
    handled.length = 0;
  });

  const port = () => (app.getHttpServer().address() as AddressInfo).port;

  it(
    'of ws reach no handler that requires a token',
    async () => {
      app = await create();
      await app.useWebSocketAdapter(new WsAdapter(app)).listen(0, '127.0.0.1');
      const socket = new WebSocket(`ws://127.0.0.1:${port()}`);
      client = socket;
      await once(socket, 'open');
      const ask = async (event: string) => {
        socket.send(JSON.stringify({ event, data: {} }));
        const [answer] = await once(socket, 'message');
        return JSON.parse(String(answer));
      };
      expect(await ask('public')).toEqual({ event: 'ran', data: 'public' });
      expect(await ask('protected')).toEqual({ event: 'exception', data: REFUSED });
      expect(await ask('bound')).toEqual({ event: 'exception', data: REFUSED });
      expect(handled).toEqual(['public']);
    },
    TIMEOUT,
  );

  it(
    'of socket.io reach no handler that requires a token',
    async () => {
      app = await create();
      await app.useWebSocketAdapter(new IoAdapter(app)).listen(0, '127.0.0.1');
      const socket = io(`http://127.0.0.1:${port()}`, { transports: ['websocket'] });
      client = socket;
      const ask = (message: string) =>
        new Promise((resolve) => {
          socket.once('ran', (data) => resolve({ event: 'ran', data }));
          socket.once('exception', (data) => resolve({ event: 'exception', data }));
          socket.emit(message, {});
        });
      expect(await ask('public')).toEqual({ event: 'ran', data: 'public' });
      expect(await ask('protected')).toEqual({ event: 'exception', data: REFUSED });
      expect(await ask('bound')).toEqual({ event: 'exception', data: REFUSED });
      expect(handled).toEqual(['public']);
    },
    TIMEOUT,
  );

  it.each([false, true])(
    'of a hybrid application with inheritAppConfig: %s reach no handler that requires a token',
    async (inheritAppConfig) => {
      app = await create();
      const service: INestMicroservice = app.connectMicroservice<MicroserviceOptions>(
        { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } },
        { inheritAppConfig },
      );
      await app.startAllMicroservices();
      await app.init();
      const { port } = service.unwrap<Server>().address() as AddressInfo;
      const proxy: ClientProxy = ClientProxyFactory.create({
        transport: Transport.TCP,
        options: { host: '127.0.0.1', port },
      });
      client = proxy;
      const ask = (message: string) => firstValueFrom(proxy.send(message, {}));
      await expect(ask('protected')).rejects.toEqual(REFUSED);
      await expect(ask('bound')).rejects.toEqual(REFUSED);
      await expect(ask('scoped')).rejects.toEqual(REFUSED);
      await firstValueFrom(proxy.emit('event', { from: 'anybody' }), { defaultValue: undefined });
      expect(await ask('public')).toEqual({ event: 'ran', data: 'public' });
      expect(handled).toEqual(['public']);
    },
    TIMEOUT,
  );
});
