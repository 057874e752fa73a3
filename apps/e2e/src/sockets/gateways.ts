import { Injectable } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import {
  CurrentUser,
  KitAuthContext,
  type LoginUser,
  Public,
  RequireFresh,
  RequirePermissions,
  RequireRoles,
} from 'kit-auth';
import { interval, map, type Observable, take } from 'rxjs';

/** What the gateways have seen, in order. */
@Injectable()
export class Seen {
  readonly lines: string[] = [];

  note(line: string): void {
    this.lines.push(line);
  }
}

@Injectable()
export class Chatting implements OnGatewayConnection, OnGatewayDisconnect {
  constructor(
    protected readonly context: KitAuthContext,
    protected readonly seen: Seen,
  ) {}

  handleConnection(): void {
    this.seen.note(`connected ${this.context.get()?.username}`);
  }

  handleDisconnect(): void {
    this.seen.note(`disconnected ${this.context.get()?.username}`);
  }

  @SubscribeMessage('who')
  who(@MessageBody() text: unknown, @CurrentUser() user: LoginUser | undefined) {
    this.seen.note(`who ${JSON.stringify(text)} ${user?.username}`);
    return { event: 'who', data: { username: user?.username, same: user === this.context.get(), text } };
  }

  @SubscribeMessage('roles')
  roles(@CurrentUser() user: LoginUser | undefined) {
    return { event: 'roles', data: user?.roles };
  }

  @SubscribeMessage('edit')
  @RequireRoles('editor')
  edit() {
    return { event: 'edit', data: 'edited' };
  }

  @SubscribeMessage('write')
  @RequirePermissions('note:write')
  write() {
    return { event: 'write', data: 'written' };
  }

  @SubscribeMessage('fresh')
  @RequireFresh()
  fresh() {
    return { event: 'fresh', data: 'fresh' };
  }

  @SubscribeMessage('stream')
  stream(): Observable<object> {
    return interval(1).pipe(
      take(3),
      map((i) => ({ event: 'stream', data: `${i} ${this.context.get()?.username}` })),
    );
  }

  /** Tells later whom a timer sees. */
  @SubscribeMessage('later')
  later(@ConnectedSocket() _client: unknown, @MessageBody() ms: number): void {
    setTimeout(() => this.seen.note(`later ${this.context.get()?.username}`), ms);
  }
}

@WebSocketGateway({ path: '/chat' })
export class ChatGateway extends Chatting {}

@WebSocketGateway({ path: '/edit' })
@RequireRoles('editor')
export class EditorGateway extends Chatting {}

@WebSocketGateway({ path: '/open' })
@Public()
export class OpenGateway extends Chatting {}

@WebSocketGateway({ namespace: 'chat' })
export class ChatNamespace extends Chatting {}

@WebSocketGateway({ namespace: 'edit' })
@RequireRoles('editor')
export class EditorNamespace extends Chatting {}

@WebSocketGateway({ namespace: 'open' })
@Public()
export class OpenNamespace extends Chatting {}

@WebSocketGateway({ namespace: /^\/room-\d+$/ })
export class RoomNamespaces extends Chatting {}

export const WS_GATEWAYS = [ChatGateway, EditorGateway, OpenGateway];
export const IO_GATEWAYS = [ChatNamespace, EditorNamespace, OpenNamespace];
