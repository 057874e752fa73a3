import { Injectable, type WsMessageHandler } from '@nestjs/common';
import { AuthException, ErrorTexts } from 'kit-auth';
import type { Connection } from '../connections/connection.js';
import { endOf } from '../connections/socket-end.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { Handshakes } from '../handshake/handshakes.js';
import { MessageRefusals } from '../socket.messages.js';

/** The event of messages to and from this package. */
export const KIT_AUTH = 'kit-auth';

/** Handles `kit-auth` messages, with which a client sends the new token of its login. */
@Injectable()
export class RenewalMessage {
  private readonly bound = new WeakSet<Connection>();

  constructor(
    private readonly handshakes: Handshakes,
    private readonly registry: SocketRegistry,
    private readonly refusals: MessageRefusals,
    private readonly texts: ErrorTexts,
  ) {}

  /** The first gateway of a connection gets the handler, all others get none. */
  handlersFor(connection: Connection): WsMessageHandler[] {
    if (connection.bearer === undefined || this.bound.has(connection)) {
      return [];
    }
    this.bound.add(connection);
    const callback = async (data: unknown) => ({
      event: KIT_AUTH,
      data: await this.renew(connection, (data as { token?: unknown } | null | undefined)?.token),
    });
    return [{ message: KIT_AUTH, callback, isAckHandledManually: true }];
  }

  /** @returns the answer. The token of another user or login closes the connection */
  private async renew(connection: Connection, token: unknown): Promise<object> {
    try {
      await this.handshakes.renew(connection, token);
      return { ok: true };
    } catch (error) {
      const end = endOf(error);
      if (end.code === 4403) {
        await this.registry.end([connection], end);
      } else {
        this.refusals.note(connection);
      }
      return error instanceof AuthException
        ? connection.context.run(() => this.texts.of(error))
        : { ok: false };
    }
  }
}
