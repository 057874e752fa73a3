import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { TransportExchange } from '../contract/token-transport.js';
import { transportRequestOf } from './ports.js';

/** Requests with the headers of their answers, for token transports. */
@Injectable()
export class RequestExchanges {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** @throws TypeError if it is not an HTTP request */
  of(request: object, response: unknown): TransportExchange {
    const transportRequest = transportRequestOf(request);
    if (transportRequest === undefined) {
      throw new TypeError('there is no HTTP request');
    }
    const { httpAdapter } = this.adapterHost;
    return {
      request: transportRequest,
      setHeader: (name, value) => void httpAdapter.setHeader(response, name, value),
      appendHeader: (name, value) =>
        isReply(response)
          ? appendToReply(response, name, value)
          : void httpAdapter.appendHeader(response, name, value),
    };
  }
}

/** The response of Fastify. */
interface Reply {
  readonly raw: object;
  getHeader(name: string): string | number | string[] | undefined;
  removeHeader(name: string): unknown;
  header(name: string, value: string[]): unknown;
}

function isReply(response: unknown): response is Reply {
  return typeof response === 'object' && response !== null && 'raw' in response;
}

/** The adapter of Nest 11 loses headers that a middleware has set on Node's response, such as cookies. */
function appendToReply(reply: Reply, name: string, value: string): void {
  const before = [reply.getHeader(name) ?? []].flat().map(String);
  reply.removeHeader(name);
  reply.header(name, [...before, value]);
}
