import { Inject, Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { networkOfClient } from 'kit-auth/tools';
import { type ResolvedSocketsOptions, socketsOptions } from '../sockets.options.js';
import type { Connection } from '../connections/connection.js';
import { SocketReports } from '../connections/socket.reports.js';
import { clientOf, type Handshake, type ServerRule } from '../connections/handshake.js';
import { HandshakeToken } from '../handshake/handshake.token.js';
import { Handshakes } from '../handshake/handshakes.js';
import type { WsClient } from './servers.js';
import { KIT_AUTH } from './renewal.message.js';
import { type SilentClient, SilentClients } from './silent.clients.js';

/** One chunk of a connection can have a message and others that follow. */
const MAX_BYTES = 65_536;

interface Message {
  readonly data: unknown;
  readonly isBinary: boolean;
}

/** Handshakes with clients of `ws` that send their token in the first message. */
@Injectable()
export class FirstMessage {
  private readonly maxMs: number;
  private readonly silent: SilentClients;

  constructor(
    private readonly tokens: HandshakeToken,
    private readonly handshakes: Handshakes,
    private readonly reports: SocketReports,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
  ) {
    this.maxMs = settings.firstMessageMs;
    this.silent = new SilentClients(settings.maxWaiting);
  }

  /** Waits for the first message if the handshake itself has no token. Like `Handshakes.decide()`. */
  async decide(client: WsClient, handshake: Handshake, rule: ServerRule): Promise<Connection | undefined> {
    try {
      return this.mustSpeak(handshake, rule)
        ? await this.afterMessage(client, handshake, rule)
        : await this.admit(handshake, rule);
    } catch (error) {
      const end = this.reports.refused(handshake.via, rule, error);
      const isLate = error instanceof AuthException && error.reason === 'too-late';
      handshake.close(isLate ? { code: 4408, reason: 'too-late' } : end);
      return undefined;
    }
  }

  private mustSpeak(handshake: Handshake, { needsToken }: ServerRule): boolean {
    return this.tokens.find(handshake) instanceof AuthException && needsToken;
  }

  private admit(handshake: Handshake, rule: ServerRule): Promise<Connection | undefined> {
    return this.handshakes.whileWaiting(() => this.handshakes.admit(handshake, rule));
  }

  private async afterMessage(
    client: WsClient,
    handshake: Handshake,
    rule: ServerRule,
  ): Promise<Connection | undefined> {
    // One packet can have several messages.
    const messages: Message[] = [];
    const collect = (data: unknown, isBinary: boolean) => {
      client.pause();
      messages.push({ data, isBinary });
    };
    client.on('message', collect);
    try {
      await this.untilMessage(client, handshake);
      const [first] = messages;
      if (first === undefined) {
        return undefined; // the client has gone
      }
      const connection = await this.admit({ ...handshake, auth: sentIn(first) }, rule);
      const rest = messages.slice(1);
      if (connection !== undefined && rest.length > 0) {
        setImmediate(() => rest.forEach(({ data, isBinary }) => client.emit('message', data, isBinary)));
      }
      return connection;
    } finally {
      client.off('message', collect);
    }
  }

  /** @throws AuthException when the client sends nothing in time, or more than a token needs, or loses its place */
  private untilMessage(client: WsClient, handshake: Handshake): Promise<void> {
    const { socket } = handshake.request;
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.silent.remove(place);
        clearTimeout(timer);
        socket.off('data', count);
        client.off('message', done);
        client.off('close', done);
      };
      const done = () => {
        stop();
        resolve();
      };
      const fail = (error: AuthException) => {
        stop();
        reject(error);
      };
      // The library collects up to 100 MB for one message. Its own listener comes first.
      let bytes = 0;
      const count = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) {
          fail(invalidToken('malformed'));
        }
      };
      const timer = setTimeout(
        () => fail(new AuthException(AuthErrorCode.TOKEN_MISSING, { reason: 'too-late' })),
        this.maxMs,
      ).unref();
      const place: SilentClient = {
        network: networkOfClient(clientOf(handshake)),
        displace: () =>
          fail(new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { reason: 'too-many-waiting' })),
      };
      socket.on('data', count);
      client.once('message', done);
      client.once('close', done);
      client.resume();
      this.silent.add(place);
    });
  }
}

/** The data of `{"event":"kit-auth","data":{"token":"..."}}`. */
function sentIn({ data, isBinary }: Message): unknown {
  try {
    const message = isBinary
      ? undefined
      : (JSON.parse(String(data)) as { event?: unknown; data?: unknown } | null);
    return message?.event === KIT_AUTH ? message.data : undefined;
  } catch {
    return undefined;
  }
}
