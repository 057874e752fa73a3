import { expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { KitAuthContext, RequireRoles } from 'kit-auth';
import { firstValueFrom } from 'rxjs';
import { freePorts } from 'test-support';
import { SocketsApp } from './app.js';

@Controller()
class Messages {
  constructor(private readonly context: KitAuthContext) {}

  @MessagePattern('who')
  who() {
    return `user: ${this.context.get()?.username}`;
  }

  @MessagePattern('edit')
  @RequireRoles('editor')
  edit() {
    return 'edited';
  }
}

it('a hybrid application has users in requests and gateways, and none in messages of microservices', async () => {
  const options = { host: '127.0.0.1', port: (await freePorts(1))[0]! };
  const app = await new SocketsApp({
    provider: 'session',
    controllers: [Messages],
    configure: (nest) => {
      nest.connectMicroservice({ transport: Transport.TCP, options }, { inheritAppConfig: true });
    },
  }).start();
  await app.nest.startAllMicroservices();
  const { username } = await app.user();
  const rpc = ClientProxyFactory.create({ transport: Transport.TCP, options });
  const socket = await app.connected(await app.tokenOf(username));
  expect(await firstValueFrom(rpc.send<string>('who', {}))).toBe('user: undefined');
  await expect(firstValueFrom(rpc.send('edit', {}))).rejects.toMatchObject({ code: 40100 });
  expect(await socket.ask('who')).toMatchObject({ username });
  expect(await socket.ask('edit')).toMatchObject({ code: 40300 });
  rpc.close();
});
