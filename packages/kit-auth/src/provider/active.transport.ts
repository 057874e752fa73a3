import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { TokenTransport, TransportRequest } from '../contract/token-transport.js';
import { Contributions } from './contributions.js';
import { TRANSPORT } from './ports.js';
import { isSafe, transportRequestOf } from './transport-request.js';

/** The token transport of the application, if it has one. */
@Injectable()
export class ActiveTransport implements OnModuleInit {
  private transport: TokenTransport | undefined;

  constructor(private readonly contributions: Contributions) {}

  /** @throws IllegalStateException for a second one */
  onModuleInit(): void {
    this.transport = this.contributions.onlyTo(TRANSPORT);
  }

  get(): TokenTransport | undefined {
    return this.transport;
  }

  /** The token of a request without a token header. @throws AuthException of the transport */
  read(request: object): string | undefined {
    return this.ask(request, (transport, it) => transport.read(it));
  }

  /** The refresh token of a request whose body has none. @throws AuthException of the transport */
  readRefreshToken(request: object): string | undefined {
    return this.ask(request, (transport, it) => transport.readRefreshToken?.(it));
  }

  /** Asks whether an open endpoint of ours may handle a request. @throws AuthException of the transport */
  admit(request: object): void {
    this.ask(request, (transport, it) => {
      if (!isSafe(it)) {
        transport.admit?.(it);
      }
    });
  }

  private ask<T>(
    request: object,
    question: (transport: TokenTransport, request: TransportRequest) => T,
  ): T | undefined {
    const transportRequest = this.transport && transportRequestOf(request);
    return this.transport === undefined || transportRequest === undefined
      ? undefined
      : question(this.transport, transportRequest);
  }
}
