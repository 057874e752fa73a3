import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createParamDecorator, Injectable, Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Client } from '../contract/client.js';
import type { LoginProof, Principal } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import {
  AuthException,
  IllegalStateException,
  type NodeResponse,
  nodeResponseOf,
  type Reply,
  setHeader,
  setRefusalHeaders,
} from '../errors/auth.exception.js';

/** The state of `KitAuthContext` for one request or message. */
export class Holder {
  /** Undefined in `run()`. */
  principal: Principal | undefined = undefined;
  /** The last one whose headers were set on the response. */
  refusal: unknown = undefined;
  /** Whether the token of the request is optional. */
  isOptional = false;

  /**
   * @param isOfRequest opened for a request, rather than by `run()`
   * @param isClosed whether the response is closed. After that, no user may be set
   */
  constructor(
    public user: LoginUser | undefined,
    readonly isOfRequest = false,
    public isClosed = false,
    public request?: ClientRequest,
    public response?: PlatformResponse,
  ) {}

  /** The sender of the request. */
  client(): Client | undefined {
    return this.isOfRequest
      ? {
          address: this.request?.ip,
          userAgent: [this.request?.headers['user-agent']].flat()[0],
          hasLeft: () => this.isClosed,
        }
      : undefined;
  }
}

/** The parts of a request that identify its sender. Express and Fastify both have them. */
export interface ClientRequest {
  readonly url?: string | undefined;
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: Connection;
}

interface Headers {
  getHeader(name: string): number | string | readonly string[] | undefined;
}

interface ClientResponse extends NodeResponse, Headers {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

type FastifyReply<T extends ClientResponse> = Reply<T> & Headers;
type PlatformResponse = ClientResponse | FastifyReply<ClientResponse>;

interface Connection {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Helps developers who wonder why the token of a request has no effect. */
const NO_TOKEN_READ = 'There is no current user: this route needs no token, so none was read';

/** Module-level, because parameter decorators cannot inject. All state is in the per-request holder. */
export const storage = new AsyncLocalStorage<Holder>();

/**
 * The current user of the request that is being handled.
 *
 * @example
 * constructor(private readonly context: KitAuthContext) {}
 *
 * mine(): Promise<Note[]> {
 *   return this.notes.findBy({ authorId: this.context.getOrThrow().userId });
 * }
 */
@Injectable()
export class KitAuthContext {
  /**
   * The current user, frozen. Undefined on open routes, where only `@OptionalUser()` reads a token, outside of requests, and
   * once the response is closed.
   */
  get(): LoginUser | undefined {
    return storage.getStore()?.user;
  }

  /** The current user. @throws AuthException 40100 `TOKEN_MISSING` when there is none */
  getOrThrow(): LoginUser {
    const holder = storage.getStore();
    if (holder?.user === undefined) {
      const isOpen = holder?.isOfRequest === true && !holder.isClosed && !holder.isOptional;
      const options = isOpen ? { message: NO_TOKEN_READ } : {};
      throw withRefusalHeaders(new AuthException(AuthErrorCode.TOKEN_MISSING, options));
    }
    return holder.user;
  }

  /** The current user with proof, scheme and token. Undefined wherever `get()` is, and in `run()`. */
  principal(): Principal | undefined {
    return storage.getStore()?.principal;
  }

  /** How and when the current user logged in. Undefined wherever `principal()` is. */
  proof(): LoginProof | undefined {
    return this.principal()?.proof;
  }

  /** The token that the current user was resolved from. Undefined wherever `principal()` is. */
  token(): string | undefined {
    return this.principal()?.token;
  }

  /** The client of the current request or message. Also defined on open routes. Undefined outside of them. */
  client(): Client | undefined {
    return currentClient();
  }

  /** Returns a function that runs others in the current request as it is now, even after the client disconnects. */
  snapshot(): <T>(fn: () => T) => T {
    const holder = storage.getStore();
    const copy =
      holder && (Object.assign(Object.create(Object.getPrototypeOf(holder) as Holder), holder) as Holder);
    return (fn) => (copy === undefined ? fn() : storage.run(copy, fn));
  }

  /**
   * Runs a function, and everything that it starts, as a user. For jobs, consumers and tests.
   *
   * @example
   * await context.run(user, () => reports.create());
   */
  run<T>(user: LoginUser, fn: () => T): T {
    return storage.run(new Holder(user), fn);
  }
}

/**
 * The current user as a parameter of a handler: a `LoginUser`. Undefined on open routes, where no token is read even if
 * the request has one, unless the route has `@OptionalUser()`.
 *
 * @example
 * ```ts
 * @Get()
 * list(@CurrentUser() user: LoginUser): Promise<Note[]> {
 *   return this.notes.of(user.userId);
 * }
 * ```
 */
export const CurrentUser = createParamDecorator(currentUser);

function currentUser(): LoginUser | undefined {
  return storage.getStore()?.user;
}

/** Whether a parameter of a handler is the current user. @param factory its factory in the metadata of Nest */
export function isCurrentUser(factory: unknown): boolean {
  return factory === currentUser;
}

/**
 * Runs the rest of a request with its own holder. The holder is emptied when the response closes, so that timers and
 * streams which a handler left running no longer act as the user.
 */
export function openRequestContext(request: ClientRequest, response: PlatformResponse, next: () => void) {
  const raw = nodeResponseOf(response);
  const isClosed = raw.destroyed || wasReset(request.socket);
  const holder = new Holder(undefined, true, isClosed, request, response);
  raw.once('close', () => {
    holder.user = undefined;
    holder.principal = undefined;
    holder.request = undefined;
    holder.response = undefined;
    holder.refusal = undefined;
    holder.isClosed = true;
  });
  storage.run(holder, next);
}

/**
 * Whether a TCP connection was reset before its client's address was read. Node can still deliver the request, but the
 * sender is unknown, so it must not be handled.
 */
function wasReset(connection: Connection): boolean {
  // Both are getters, and nearly all connections have the first.
  return connection.remoteAddress === undefined && connection.localAddress !== undefined;
}

/** The methods of a Fastify instance that this code calls. The core does not depend on a platform. */
interface FastifyLike {
  addHook(
    name: 'preHandler',
    hook: (request: IncomingMessage, reply: FastifyReply<ServerResponse>, done: () => void) => void,
  ): void;
}

/**
 * Opens the request context before any guard runs. On Fastify this is a `preHandler` hook, because middleware does not
 * run for every route when the global prefix has exclusions.
 */
@Module({ providers: [KitAuthContext], exports: [KitAuthContext] })
export class RequestContextModule implements NestModule {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** Nest calls this after it has registered the body parsers, and before it registers routes. */
  configure(): void {
    const adapter = this.adapterHost.httpAdapter;
    const server = adapter.getHttpServer() as Server;
    server.prependListener('connection', endIfReset).prependListener('secureConnection', endIfReset);
    if (adapter.getType() === 'fastify') {
      adapter
        .getInstance<FastifyLike>()
        .addHook('preHandler', (request, reply, done) => openRequestContext(request, reply, done));
    } else {
      adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) =>
        openRequestContext(request, response, next),
      );
    }
  }
}

/** Reads the client's address while it is available, and closes connections that were reset already. */
function endIfReset(socket: Socket): void {
  if (wasReset(socket)) {
    socket.destroy();
  }
}

/** The client of the current request or message. Undefined outside of them, and in `run()`. */
export function currentClient(): Client | undefined {
  return storage.getStore()?.client();
}

/** The current request with its response, as the platform made them. Undefined outside of requests, and in `run()`. */
export function currentExchange(): { readonly request: object; readonly response: object } | undefined {
  const { request, response } = storage.getStore() ?? {};
  return request && response && { request, response };
}

/** Identifies the current request until its response closes. Undefined outside of requests, and in `run()`. */
export function currentRequest(): object | undefined {
  const holder = storage.getStore();
  return holder?.isOfRequest === true && !holder.isClosed ? holder : undefined;
}

/**
 * Called only by the guard, once per handler of a request.
 *
 * @param request if it is the one that the platform passes to handlers; undefined if it may be another object (GraphQL)
 * @throws AuthException 40100 when the client has disconnected: the handler must not run without a user
 * @throws IllegalStateException in the context of another request
 */
export function fillRequestContext(principal: Principal, request?: object): void {
  const holder = holderOf(request);
  if (holder.isClosed) {
    throw new AuthException(AuthErrorCode.TOKEN_MISSING);
  }
  holder.user = principal.user;
  holder.principal = principal;
}

/** Forgets the user of an earlier handler of a request, such as another resolver of GraphQL. */
export function clearRequestContext(): void {
  const holder = holderOf();
  holder.user = undefined;
  holder.principal = undefined;
}

/** @throws IllegalStateException outside of requests, and in the context of another request than the given one */
function holderOf(request?: object): Holder {
  const holder = storage.getStore();
  const isOther = request !== undefined && holder?.request !== request && holder?.isClosed !== true;
  if (holder === undefined || isOther) {
    throw new IllegalStateException(
      'The request context was lost on the way to the guard: a middleware called next() from a callback that ' +
        'belongs to no request, or to another one. Wrap that call with AsyncResource.bind() of node:async_hooks.',
    );
  }
  return holder;
}

/**
 * Sets the headers of an error of the current request, if it is a refusal.
 *
 * @returns the error, to be thrown
 */
export function withRefusalHeaders<T>(error: T): T {
  const holder = storage.getStore();
  if (holder?.response !== undefined) {
    setRefusalHeaders(error, holder.response);
    holder.refusal = error;
  }
  return error;
}

/** Whether `withRefusalHeaders()` has just set the headers of this error. */
export function hasRefusalHeaders(error: unknown): boolean {
  return storage.getStore()?.refusal === error;
}

/**
 * Sets `Cache-Control: private` on the answer to the current request, unless the application has set that header.
 * Handlers can replace it.
 */
export function keepFromSharedCaches(): void {
  const response = storage.getStore()?.response;
  const raw = response && nodeResponseOf(response);
  if (raw !== undefined && !raw.headersSent && raw.getHeader('Cache-Control') === undefined) {
    raw.setHeader('Cache-Control', 'private');
  }
}

/**
 * Notes that the token of the current request is optional, and tells caches which headers may carry it.
 *
 * @param request as for `fillRequestContext()`
 * @throws IllegalStateException in the context of another request
 */
export function noteOptional(request: object | undefined, headers: readonly string[]): void {
  const holder = holderOf(request);
  holder.isOptional = true;
  const { response } = holder;
  if (response !== undefined && !nodeResponseOf(response).headersSent) {
    addVary(response, headers);
  }
}

/** Whether the headers of a response of `currentExchange()` are not sent yet. */
export function canSetHeaders(response: object): boolean {
  return !nodeResponseOf(response as PlatformResponse).headersSent;
}

/** Tells caches of more request headers that an answer depends on. */
export function addVary(response: PlatformResponse, headers: readonly string[]): void {
  const present = response.getHeader('Vary');
  const known =
    present === undefined ? [] : [present].flat().flatMap((value) => String(value).split(/\s*,\s*/));
  setHeader(
    response,
    'Vary',
    (present === undefined ? headers : [...new Set([...known, ...headers])]).join(', '),
  );
}
