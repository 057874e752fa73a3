import {
  applyDecorators,
  type CallHandler,
  Delete,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Injectable,
  type NestInterceptor,
  Patch,
  Post,
  Put,
  Req,
  UseInterceptors,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { mergeMap } from 'rxjs/operators'; // `rxjs` itself exports operators since 7.2
import { readBody, readMembers } from './body.js';
import type { JsonRequest } from './json-body.js';
import type { UserSummary } from '../contract/login-user.js';
import type { AuthErrorCode } from '../errors/auth-error-code.js';
import type { LoginAnswer } from '../login/login.flow.js';
import { TransportExchanges } from '../manager/transport.exchanges.js';
import { decoratedMethodOf, decoratedTarget, HANDLED, METHOD } from '../routes/decorated-method.js';
import type { FreshOptions } from '../routes/fresh-options.js';
import {
  BeforeEnrolment,
  BeforePasswordChange,
  ForActors,
  Public,
  RequireFresh,
  RequirePermissions,
} from '../routes/require.decorators.js';
import type { Schema, ServerIn, ServerOf, Shape, WireIn, WireOf } from './schema.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A method and a path below `/v1/api/auth/`, such as `DELETE keys/{id}`. */
export type EndpointKey = `${Method} ${string}`;

/** An endpoint: its access, input and answer. */
export interface EndpointDeclaration {
  /** The `operationId` in OpenAPI documents, unique among all packages. */
  readonly id: string;
  /** One sentence, for OpenAPI documents and the reference. The required permissions are added. */
  readonly summary: string;
  /** Opens it to requests without a token. */
  readonly isPublic?: true;
  readonly permission?: `auth:${string}:${'read' | 'write' | 'end'}`;
  /** `true` requires a fresh login. With options, the login must meet all of them. */
  readonly fresh?: true | FreshOptions | readonly FreshOptions[];
  /** Admits users who must set up a second factor first. */
  readonly beforeEnrolment?: true;
  /** Admits users who must choose a new password first. */
  readonly beforePasswordChange?: true;
  /** Admits users who act as another user. */
  readonly forActors?: true;
  /** The members of the JSON body. Others are ignored. */
  readonly body?: Shape;
  /** The handler calls `readBody()`, because the body has several forms, or its refusal words of its own. */
  readonly readsBody?: true;
  /** The members of the query. Others are ignored. */
  readonly query?: Shape;
  /** Default: none, so that the status is 204. */
  readonly answer?: Schema;
  /**
   * Answers like `POST login`. The handler adds the members of `answer` to the `LoginAnswer`. Without a login, it returns
   * undefined for `{}`.
   */
  readonly login?: true;
  /** Default: 204 without an answer, 201 for `POST`, otherwise 200. */
  readonly status?: 200 | 201 | 202;
  /** Further codes: most follow from the declaration. */
  readonly errors?: readonly AuthErrorCode[];
  /** The section of the console that calls it, for example `keys`. */
  readonly section?: string;
}

/** The endpoints of a package, by their keys. */
export type Api = Readonly<Record<EndpointKey, EndpointDeclaration>>;

type ParamsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsIn<Rest>
  : never;
/** The parameters in the path of an endpoint. */
export type ParamsOf<K extends string> = { readonly [Name in ParamsIn<K>]: string };

type BodyIn<E> = E extends { readonly readsBody: true }
  ? undefined
  : E extends { readonly body: infer S extends Shape }
    ? ServerOf<S>
    : undefined;
type QueryIn<E> = E extends { readonly query: infer S extends Shape } ? ServerOf<S> : undefined;

/** A request to an endpoint, with its checked body and query. */
export interface Call<A extends object, K extends keyof A & string> {
  readonly params: ParamsOf<K>;
  readonly body: BodyIn<A[K]>;
  readonly query: QueryIn<A[K]>;
  /** The request of Express or Fastify, for `LoginFlow.begin()`. */
  readonly request: JsonRequest;
}

/** The result of a handler. */
export type AnswerOf<A extends object, K extends keyof A> = A[K] extends { readonly login: true }
  ? LoginAnswer | undefined
  : A[K] extends { readonly answer: infer S }
    ? ServerIn<S>
    : // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- the type of a handler that returns nothing
      void;

/** The input of a client. */
export type SentOf<A extends object, K extends keyof A & string> = (ParamsIn<K> extends never
  ? unknown
  : { params: ParamsOf<K> }) &
  (A[K] extends { readonly body: infer S extends Shape } ? { body: WireOf<S> } : unknown) &
  (A[K] extends { readonly query: infer S extends Shape } ? { query?: WireOf<S> } : unknown);

/** The answer of a login for a client. Packages add members. */
export interface GotLogin {
  /** Browsers have it in a cookie instead. */
  token?: string | undefined;
  user: UserSummary;
}

/** The answer for a client. */
export type GotOf<A extends object, K extends keyof A> = A[K] extends { readonly login: true }
  ? GotLogin & (A[K] extends { readonly answer: infer S } ? WireIn<S> : unknown)
  : A[K] extends { readonly answer: infer S }
    ? WireIn<S>
    : undefined;

/**
 * Declares the endpoints of a package: their routes, access, checks of bodies, OpenAPI documents, reference and types for
 * clients.
 *
 * @example
 * ```ts
 * export const notesApi = endpoints({
 *   'GET notes': { id: 'listNotes', summary: 'Lists the notes', answer: list(object({ id: TEXT, title: TEXT })) },
 *   'POST notes': { id: 'addNote', summary: 'Adds a note', body: { title: NAME }, answer: object({ id: TEXT }) },
 *   'DELETE notes/{id}': { id: 'removeNote', summary: 'Removes a note', fresh: true },
 * });
 * ```
 */
export function endpoints<
  const A extends { readonly [K in keyof A]: K extends EndpointKey ? EndpointDeclaration : never },
>(api: A): A {
  return api;
}

const ROUTES = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete } satisfies Record<
  Method,
  (path: string) => MethodDecorator
>;

interface Handled {
  readonly key: EndpointKey;
  readonly declaration: EndpointDeclaration;
  readonly metadata: ReadonlyMap<string, unknown>;
}

/**
 * Makes a method of a `@KitAuthController()` the handler of an endpoint, an ordinary route of Nest. The compiler checks what the
 * method takes and returns. Start-up refuses decorators of routes, answers and access beside it.
 *
 * @example
 * ```ts
 * @Endpoint(notesApi, 'DELETE notes/{id}')
 * remove({ params }: Call<typeof notesApi, 'DELETE notes/{id}'>): Promise<void> {}
 * ```
 */
export function Endpoint<A extends object, K extends keyof A & string>(api: A, key: K) {
  const declaration = (api as Partial<Api>)[key as EndpointKey];
  if (declaration === undefined) {
    const keys = Object.keys(api).map((known) => `'${known}'`);
    throw new TypeError(`@Endpoint(): '${key}' is not declared. Declared are ${keys.join(', ')}`);
  }
  return handles(declaration, key as EndpointKey) as (
    target: object,
    name: string,
    // Not a TypedPropertyDescriptor: its setter would refuse handlers that take nothing.
    descriptor: { value?: (call: Call<A, K>, ...more: never[]) => AnswerOf<A, K> | Promise<AnswerOf<A, K>> },
  ) => void;
}

/** `@Endpoint()` for endpoints whose keys are made at run time. */
export function handles(endpoint: EndpointDeclaration, key: EndpointKey): MethodDecorator {
  const decorate = applyDecorators(...decoratorsOf(endpoint, key));
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const handler = descriptor.value as (call: ReadCall, ...more: unknown[]) => unknown;
    // Nest passes the request itself, so that no pipe of the application sees a body with a password.
    const handle = function (this: unknown, request: JsonRequest, ...more: unknown[]) {
      return handler.call(this, new ReadCall(endpoint, request), ...more);
    };
    Object.defineProperty(handle, 'name', { value: name });
    for (const metadata of Reflect.getOwnMetadataKeys(handler) as string[]) {
      Reflect.defineMetadata(metadata, Reflect.getOwnMetadata(metadata, handler), handle);
    }
    descriptor.value = handle;
    decoratedTarget(target, name, descriptor); // Otherwise a decorator below would hide the new function.
    Req()(target, name, 0);
    const before = declaredOn(handle);
    decorate(target, name, descriptor);
    const metadata = before.size > 0 ? new Map<string, unknown>() : declaredOn(handle);
    Reflect.defineMetadata(HANDLED, { key, declaration: endpoint, metadata } satisfies Handled, handle);
  };
}

function decoratorsOf(endpoint: EndpointDeclaration, key: EndpointKey): MethodDecorator[] {
  const [method, path] = key.split(' ') as [Method, string];
  if (!Object.hasOwn(ROUTES, method)) {
    throw new TypeError(
      `endpoints(): '${key}' must begin with ${Object.keys(ROUTES).join(', ')}, and a space`,
    );
  }
  const { login, permission, fresh } = endpoint;
  const status = statusOf(method, endpoint);
  // Decorators apply from the last to the first.
  const freshly = fresh === undefined ? [] : [fresh === true ? undefined : fresh].flat().reverse();
  return [
    ROUTES[method](path.replace(/\{(\w+)\}/g, ':$1')),
    HttpCode(status),
    ...(status === 204 ? [] : [Header('Cache-Control', 'no-store')]),
    ...(endpoint.isPublic ? [Public()] : []),
    ...(permission === undefined ? [] : [RequirePermissions(permission)]),
    ...freshly.map((options) => RequireFresh(options)),
    ...(endpoint.beforeEnrolment ? [BeforeEnrolment()] : []),
    ...(endpoint.beforePasswordChange ? [BeforePasswordChange()] : []),
    ...(endpoint.forActors ? [ForActors()] : []),
    ...(login ? [UseInterceptors(TransportInterceptor)] : []),
  ];
}

export function statusOf(method: Method, { answer, login, status }: EndpointDeclaration): number {
  if (status !== undefined) {
    return status;
  }
  if (answer === undefined && login === undefined) {
    return HttpStatus.NO_CONTENT;
  }
  return method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK;
}

/** The metadata of a method that a declaration decides: route, answer and access. */
function declaredOn(method: object): Map<string, unknown> {
  const keys = (Reflect.getOwnMetadataKeys(method) as unknown[]).filter(
    (key): key is string => typeof key === 'string' && DECLARED.test(key) && !INTERNAL.has(key),
  );
  return new Map(keys.map((key) => [key, Reflect.getOwnMetadata(key, method)]));
}

/** `PATH_METADATA`, `METHOD_METADATA`, `HTTP_CODE_METADATA` and `HEADERS_METADATA` of Nest, and ours. */
const DECLARED = /^(?:path|method|__httpCode__|__headers__|kit-auth:.*)$/;
/** Added to handlers without a decorator of the application. */
const INTERNAL = new Set([HANDLED, METHOD]);

/** The endpoint that a method of a controller handles, for tools that read the routes of an application. */
export function handledBy(
  controller: object,
  method: object,
): { key: EndpointKey; declaration: EndpointDeclaration; isAlone: boolean } | undefined {
  const decorated = decoratedMethodOf(controller, method);
  const handled = Reflect.getOwnMetadata(HANDLED, decorated) as Handled | undefined;
  if (handled === undefined) {
    return undefined;
  }
  const { key, declaration, metadata } = handled;
  const now = declaredOn(decorated);
  const isAlone =
    now.size === metadata.size && [...now].every(([name, value]) => metadata.get(name) === value);
  return { key, declaration, isAlone };
}

/** Passes the answers of logins to the token transport of the application. */
@Injectable()
class TransportInterceptor implements NestInterceptor<LoginAnswer | undefined, object> {
  constructor(private readonly exchanges: TransportExchanges) {}

  intercept(context: ExecutionContext, next: CallHandler<LoginAnswer | undefined>): Observable<object> {
    const http = context.switchToHttp();
    return next
      .handle()
      .pipe(
        mergeMap(async (answer) =>
          answer === undefined ? {} : this.exchanges.write(answer, http.getRequest(), http.getResponse()),
        ),
      );
  }
}

/** A request whose body and query were read. */
class ReadCall {
  readonly body: object | undefined;
  readonly query: object | undefined;

  /** @throws AuthException 40000 */
  constructor(
    { body, query, readsBody }: EndpointDeclaration,
    readonly request: JsonRequest & { readonly params?: object; readonly query?: unknown },
  ) {
    this.body = readsBody ? undefined : body && readBody(body, request);
    this.query = query && readMembers(query, (request.query ?? {}) as Record<string, unknown>);
  }

  get params(): object {
    return this.request.params ?? {};
  }
}
