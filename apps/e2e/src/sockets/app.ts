import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import type { Server, ServerOptions } from 'socket.io';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { requireSentence, until } from 'test-support';
import { type ClientOptions, WebSocket } from 'ws';
import { ClientsApp, type ClientsAppOptions, TestClient } from '../access/clients-app.js';
import { IO_GATEWAYS, WS_GATEWAYS } from './gateways.js';

export type Adapter = 'ws' | 'socket.io';

export interface SocketsAppOptions extends ClientsAppOptions {
  adapter?: Adapter;
}

/** Tests move the date, after which clients would miss the pings of the server. */
class PatientIoAdapter extends IoAdapter {
  override createIOServer(port: number, options?: ServerOptions): Server {
    return super.createIOServer(port, { ...(options as ServerOptions), pingTimeout: 3_600_000 });
  }
}

/** An application with gateways. */
export class SocketsApp extends ClientsApp<TestSocket> {
  readonly adapter: Adapter;

  constructor({ adapter = 'ws', providers = [], ...options }: SocketsAppOptions = {}) {
    super({
      ...options,
      providers: [...(adapter === 'ws' ? WS_GATEWAYS : IO_GATEWAYS), ...providers],
      configure: (nest) => {
        nest.useWebSocketAdapter(adapter === 'ws' ? new WsAdapter(nest) : new PatientIoAdapter(nest));
        options.configure?.(nest);
      },
    });
    this.adapter = adapter;
  }

  /** Connects a client to a gateway, with a token where the adapter usually has it. */
  connect(token: string | undefined, gateway = 'chat', options: ConnectOptions = {}): TestSocket {
    return this.add(
      this.adapter === 'ws'
        ? new WsTestSocket(`ws://127.0.0.1:${this.port}/${gateway}`, token, options)
        : new IoTestSocket(`http://127.0.0.1:${this.port}/${gateway}`, token, options),
    );
  }

  /** Connects a client, and fails the test if it is refused. */
  connected(token: string | undefined, gateway?: string, options?: ConnectOptions): Promise<TestSocket> {
    return this.connect(token, gateway, options).opened();
  }
}

export interface ConnectOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly ws?: ClientOptions;
  readonly io?: Partial<ManagerOptions & SocketOptions>;
}

export interface ServerMessage {
  readonly event: string;
  readonly data: unknown;
}

/** Fails the test for a refusal without a sentence. Thrown to the client, the error would stop its next messages. */
function failWithoutSentence(data: unknown): void {
  queueMicrotask(() => requireSentence(data));
}

/** A client of either adapter. */
export abstract class TestSocket extends TestClient {
  readonly messages: ServerMessage[] = [];
  isOpen = false;

  abstract send(event: string, data?: unknown): void;

  protected receive(message: ServerMessage): void {
    this.messages.push(message);
    failWithoutSentence(message.data);
  }

  /** Resolves when the connection is open for messages, and rejects if it is refused. */
  async opened(): Promise<this> {
    await until(() => (this.isOpen || this.end !== undefined ? true : undefined));
    if (this.end !== undefined) {
      throw new Error(`The client was refused: ${this.end}`);
    }
    return this;
  }

  /** The next message of an event, which is taken out. */
  async next(event: string): Promise<unknown> {
    const found = await until(() => {
      const i = this.messages.findIndex((message) => message.event === event);
      return i < 0 ? undefined : this.messages.splice(i, 1)[0];
    });
    return found.data;
  }

  /** Sends a message, and returns the answer: that of the event, or the body of a refusal. */
  async ask(event: string, data?: unknown): Promise<unknown> {
    this.send(event, data);
    const answer = await until(() => {
      const i = this.messages.findIndex((message) => [event, 'exception'].includes(message.event));
      return i < 0 ? undefined : this.messages.splice(i, 1)[0];
    });
    return answer.data;
  }
}

export class WsTestSocket extends TestSocket {
  readonly client: WebSocket;

  constructor(url: string, token: string | undefined, { headers = {}, ws }: ConnectOptions = {}) {
    super();
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.client = new WebSocket(url, { ...ws, headers: { ...authorization, ...headers } });
    this.client.on('open', () => (this.isOpen = true));
    this.client.on('message', (data) => this.receive(JSON.parse(String(data)) as ServerMessage));
    this.client.on('error', (error) => (this.end ??= error.message));
    this.client.on('close', (code, reason) => (this.end ??= `${code} ${String(reason)}`));
  }

  /** A refused client is open for a moment, so the answer to a message tells. */
  override async opened(): Promise<this> {
    await super.opened();
    this.send('who', 'opened');
    await until(() => (this.messages.length > 0 || this.end !== undefined ? true : undefined));
    await super.opened();
    await this.next('who');
    return this;
  }

  send(event: string, data?: unknown): void {
    this.client.send(JSON.stringify({ event, data }));
  }

  leave(): void {
    this.client.terminate();
  }
}

export class IoTestSocket extends TestSocket {
  readonly client: Socket;

  constructor(
    url: string,
    token: string | undefined,
    { headers = {}, io: options = {} }: ConnectOptions = {},
  ) {
    super();
    this.client = io(url, {
      forceNew: true,
      reconnection: false,
      extraHeaders: { ...headers },
      ...(token !== undefined && { auth: { token } }),
      ...options,
    });
    this.client.on('connect', () => (this.isOpen = true));
    this.client.onAny((event: string, data: unknown) => {
      const { code, reason } = (data ?? {}) as { code?: number; reason?: string };
      // Answers to our `kit-auth` messages have a code of five digits.
      if (event === 'kit-auth' && code !== undefined && code < 10_000) {
        this.end ??= `${code} ${reason}`;
      } else {
        this.receive({ event, data });
      }
    });
    this.client.on('connect_error', (error: Error & { data?: { code?: number; reason?: string } }) => {
      this.end ??= `${error.data?.code ?? error.message} ${error.data?.reason ?? ''}`.trim();
      failWithoutSentence(error.data);
    });
    this.client.on('disconnect', (reason) => (this.end ??= reason));
  }

  send(event: string, data?: unknown): void {
    this.client.emit(event, data);
  }

  leave(): void {
    this.client.disconnect();
  }
}
