import type { ExecutionContext, Type } from '@nestjs/common';
import { connectionHookOf } from 'kit-auth/tools';
import type { Handshake } from '../connections/handshake.js';

/** The context of a connection to a gateway, for policies. Its HTTP request is the one that opened the connection. */
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

  getArgs: ExecutionContext['getArgs'] = () => [...this.args] as never;
  getArgByIndex: ExecutionContext['getArgByIndex'] = (index) => this.args[index] as never;
  getType: ExecutionContext['getType'] = () => 'ws' as never;

  switchToHttp(): ReturnType<ExecutionContext['switchToHttp']> {
    const none = () => undefined as never;
    return { getRequest: () => this.args[1] as never, getResponse: none, getNext: none };
  }

  switchToWs(): ReturnType<ExecutionContext['switchToWs']> {
    return {
      getClient: () => this.args[0] as never,
      getData: () => undefined as never,
      getPattern: () => 'connection',
    };
  }

  switchToRpc(): ReturnType<ExecutionContext['switchToRpc']> {
    const none = () => undefined as never;
    return { getData: none, getContext: none };
  }
}
