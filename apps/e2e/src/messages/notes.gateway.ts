import { MessageBody, SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { AuthException, AuthManager } from 'kit-auth';

interface NewNote {
  readonly token: string;
  readonly text: string;
}

@WebSocketGateway()
export class NotesGateway {
  constructor(private readonly auth: AuthManager) {}

  @SubscribeMessage('create')
  async create(@MessageBody() { token, text }: NewNote) {
    const { username } = await this.auth.getLoginUser(token).catch((error: unknown) => {
      throw error instanceof AuthException ? new WsException(error.getResponse()) : error;
    });
    return { event: 'created', data: { text, author: username } };
  }
}
