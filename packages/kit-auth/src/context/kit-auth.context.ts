import { AsyncLocalStorage } from 'node:async_hooks';
import { createParamDecorator, Injectable } from '@nestjs/common';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';

interface Holder {
  user: LoginUser | undefined;
  token: string | undefined;
  request: ClientRequest | undefined;
  /** Opened for a request, rather than by `run()`. */
  isOfRequest: boolean;
  /** The response is closed: nobody is to be put in any more. */
  isClosed: boolean;
}

/** The parts of a request that tell who sent it, on Express and Fastify alike. */
interface ClientRequest {
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: Connection;
}

interface Connection {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Who sent a request. */
export interface Client {
  /**
   * As the platform tells it, by the application's own trust-proxy setting. Undefined where nobody knows it, for
   * example because the connection was reset at once, or comes over a Unix socket.
   */
  address: string | undefined;
  userAgent: string | undefined;
  /** Whether the response is closed: sent, or given up by the client. */
  hasLeft(): boolean;
}

/** One for the process: parameter decorators have no injector to ask. All state is in the per-request holder. */
const storage = new AsyncLocalStorage<Holder>();

/** The current user of the request that is being handled. */
@Injectable()
export class KitAuthContext {
  /** The current user, frozen; undefined on open routes, outside of requests, and once the response is closed. */
  get(): LoginUser | undefined {
    return storage.getStore()?.user;
  }

  /** @throws AuthException 40100 `TOKEN_MISSING` where there is no user. */
  getOrThrow(): LoginUser {
    const user = this.get();
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_MISSING);
    }
    return user;
  }

  /** The token that the current user was resolved from; undefined wherever `get()` is, and in `run()`. */
  token(): string | undefined {
    return storage.getStore()?.token;
  }

  /** Who sent the current request, also on open routes; undefined outside of requests. */
  client(): Client | undefined {
    const holder = storage.getStore();
    if (holder?.isOfRequest !== true) {
      return undefined;
    }
    return {
      address: holder.request?.ip,
      userAgent: firstOf(holder.request?.headers['user-agent']),
      hasLeft: () => holder.isClosed,
    };
  }

  /** Runs functions in the current request as it is now, also once its client has hung up. */
  snapshot(): <T>(fn: () => T) => T {
    const holder = storage.getStore();
    const copy = holder && { ...holder };
    return (fn) => (copy === undefined ? fn() : storage.run(copy, fn));
  }

  /** Runs a function, and whatever it starts, as a user: for jobs, consumers and tests. */
  run<T>(user: LoginUser, fn: () => T): T {
    return storage.run(
      { user, token: undefined, request: undefined, isOfRequest: false, isClosed: false },
      fn,
    );
  }
}

/** The current user as a handler's parameter: `LoginUser`, or undefined on open routes. */
export const CurrentUser = createParamDecorator((): LoginUser | undefined => storage.getStore()?.user);

/**
 * Runs the rest of a request with a holder of its own. The holder is emptied when the response closes, so that
 * what a handler left running (timers, streams) no longer acts as the user.
 */
export function openRequestContext(
  request: ClientRequest,
  response: { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown },
  next: () => void,
): void {
  const holder: Holder = {
    user: undefined,
    token: undefined,
    request,
    isOfRequest: true,
    isClosed: response.destroyed || wasReset(request.socket),
  };
  response.once('close', () => {
    holder.user = undefined;
    holder.token = undefined;
    holder.request = undefined;
    holder.isClosed = true;
  });
  storage.run(holder, next);
}

/**
 * Whether a TCP connection was reset before anybody read its client's address, which Node remembers from then on. Its
 * request can still be read, and must not be done for nobody knows whom.
 */
export function wasReset({ localAddress, remoteAddress }: Connection): boolean {
  return remoteAddress === undefined && localAddress !== undefined;
}

/**
 * Called by the guard alone, once per request.
 *
 * @throws AuthException 40100 when the client has left in the meantime: the handler must not run without a user
 */
export function fillRequestContext(user: LoginUser, token: string): void {
  const holder = storage.getStore();
  if (holder === undefined) {
    throw new IllegalStateException(
      'The request context was lost on the way to the guard: a middleware called next() from a callback that ' +
        'belongs to no request. Wrap that call with AsyncResource.bind() of node:async_hooks.',
    );
  }
  if (holder.isClosed) {
    throw new AuthException(AuthErrorCode.TOKEN_MISSING);
  }
  holder.user = user;
  holder.token = token;
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
