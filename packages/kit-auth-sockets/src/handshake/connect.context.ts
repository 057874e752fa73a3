import type { ExecutionContext, Type } from '@nestjs/common';
import { connectionHookOf } from 'kit-auth/extend';
import type { Handshake } from './handshake.js';

/** What policies get about a connection to a gateway. Its HTTP request is the one that opened the connection. */
export class ConnectContext implements ExecutionContext {
  private readonly args: readonly [unknown, unknown];

  constructor(
    { client, request }: Pick<Handshake, 'client' | 'request'>,
    private readonly gateway: Type,
  ) {
    this.args = [client, request];
  }

  getClass<T>(): Type<T> {
    return this.gateway as Type<T>;
  }

  getHandler(): () => unknown {
    return connectionHookOf(this.gateway);
  }

  getArgs<T extends unknown[]>(): T {
    return [...this.args] as unknown as T;
  }

  getArgByIndex<T>(index: number): T {
    return this.args[index] as T;
  }

  getType<T extends string>(): T {
    return 'ws' as T;
  }

  switchToHttp() {
    const request = this.args[1];
    return {
      getRequest: <T>() => request as T,
      getResponse: <T>() => undefined as T,
      getNext: <T>() => undefined as T,
    };
  }

  switchToWs() {
    const [client] = this.args;
    return {
      getClient: <T>() => client as T,
      getData: <T>() => undefined as T,
      getPattern: () => 'connection',
    };
  }

  switchToRpc() {
    return { getData: <T>() => undefined as T, getContext: <T>() => undefined as T };
  }
}
