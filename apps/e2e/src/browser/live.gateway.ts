import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import { type OnGatewayConnection, WebSocketGateway } from '@nestjs/websockets';
import { AuthManager, TOKEN_TRANSPORT, type TokenTransport } from 'kit-auth';
import { transportRequestOf } from 'kit-auth/login';
import type { WebSocket } from 'ws';

@WebSocketGateway({ path: '/live' })
export class LiveGateway implements OnGatewayConnection {
  constructor(
    private readonly auth: AuthManager,
    @Inject(TOKEN_TRANSPORT) private readonly transport: TokenTransport,
  ) {}

  async handleConnection(client: WebSocket, upgrade: IncomingMessage) {
    const request = transportRequestOf(upgrade);
    try {
      const token = request && this.transport.read(request);
      const { username } = await this.auth.getLoginUser(token ?? '');
      client.send(`Hello ${username}`);
    } catch {
      client.close(1008, 'Log in first');
    }
  }
}
