import type { IncomingHttpHeaders } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { LoginResult } from './login-user.js';

/**
 * Injection token of a transport for tokens besides the token header, for example cookies. At most one module may
 * contribute it. With two, start-up fails with `IllegalStateException`.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: TOKEN_TRANSPORT, useClass: CookieTransport }] })
 * export class CookieModule {}
 * ```
 */
export const TOKEN_TRANSPORT = Symbol.for('kit-auth.token-transport');

/**
 * Reads a token from a request that has no token header, and puts the token of a login into its answer. It never reads
 * a request with a token header. Answers to requests whose token came this way get `Cache-Control: private`, unless
 * their handler sets that header. Otherwise shared caches could store them: by default, caches exclude only answers to
 * requests with `Authorization`.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class CookieTransport implements TokenTransport {
 *   read({ headers }: TransportRequest): string | undefined {
 *     return /(?:^|; )__Host-token=([^;]+)/.exec(headers.cookie ?? '')?.[1];
 *   }
 *
 *   write({ token, ...body }: LoginResult, exchange: TransportExchange): object {
 *     exchange.appendHeader('Set-Cookie', `__Host-token=${token}; Path=/; Secure; HttpOnly; SameSite=Lax`);
 *     return body;
 *   }
 *
 *   clear(exchange: TransportExchange): void {
 *     exchange.appendHeader('Set-Cookie', '__Host-token=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0');
 *   }
 * }
 * ```
 */
export interface TokenTransport {
  /** The name of the cookie that carries the token, for OpenAPI documents. */
  readonly cookie?: string;
  /**
   * For cookies: the other origins whose pages use them, and their
   * `SameSite`. Without it, logins that end with a redirect, such as those of `kit-auth-oidc`, do not use the transport.
   */
  readonly pages?: { readonly origins: readonly string[]; readonly sameSite: 'lax' | 'strict' };
  /**
   * The token of a request without a token header; undefined when it has none.
   *
   * Throw an `AuthException` to refuse the request, for example 40302 `CROSS_ORIGIN`.
   */
  read(request: TransportRequest): string | undefined;
  /**
   * The refresh token of a request whose body has none, or undefined. Refuses requests like `read`. Without this
   * method, only bodies carry refresh tokens.
   */
  readRefreshToken?(request: TransportRequest): string | undefined;
  /**
   * Called before an endpoint under `/v1/api/auth` that needs no token, such as `POST login`, and before the logins of
   * `AuthManager`, unless the method is GET, HEAD or OPTIONS; and before `AuthManager.logout()` on an open route, whatever the
   * method. Throw an `AuthException` to refuse the request, for example 40302 `CROSS_ORIGIN`.
   */
  admit?(request: TransportRequest): void;
  /**
   * Called before a login is renewed or refreshed, and before a login with a refresh token is opened. Throw the error of
   * `write` for this answer, such as 50300 for a token that no cookie can hold: nothing has changed yet then. Without this
   * method, `write` fails, which ends the login.
   *
   * @param answer its `token` is as long as the one of `write`, but may not be valid
   */
  requireWritable?(
    answer: Pick<LoginResult, 'token'> & Readonly<Record<string, unknown>>,
    request: TransportRequest,
  ): void;
  /**
   * Called with the answer of a login before it is sent, also by endpoints for which `admit` was not called. May return a
   * promise. If it fails, the login ends, and the answer is 50300, or the `AuthException` that it throws.
   *
   * @param answer `token`, `user`, and the members that `AUTH_LOGINS` added
   * @returns the body to send
   */
  write(
    answer: LoginResult & Readonly<Record<string, unknown>>,
    exchange: TransportExchange,
  ): object | Promise<object>;
  /** Called when the user has logged out, and when a refresh token was refused. */
  clear(exchange: TransportExchange): void;
  /**
   * Called when the token that `read` returned can never be valid again, on a route that reads tokens but needs none. Without
   * this method, clients send it with each further request. Keep it if a refresh token comes with it: the client may be
   * refreshing.
   */
  discard?(exchange: TransportExchange): void;
}

/** The part of an HTTP request that transports and credentials read, the same on Express and Fastify. */
export interface TransportRequest {
  readonly method: string;
  /** The request target as the client sent it. */
  readonly url: string;
  /** Headers as Node parses them: with lower-case names. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as they were received. */
  readonly rawHeaders: readonly string[];
  /** The host with its port, as the platform reports it, subject to the application's trust-proxy setting. */
  readonly host?: string | undefined;
  /** `http` or `https`, as the platform reports it. */
  readonly protocol?: string | undefined;
  /** The parsed body. */
  readonly body?: unknown;
  /** The body as it was received, in applications with `NestFactory.create(AppModule, { rawBody: true })`. */
  readonly rawBody?: Buffer | undefined;
  /**
   * The certificate of the client, if it has one that the TLS server of this process has verified (`requestCert` and `ca`
   * of its options). Undefined otherwise, also behind a proxy that ends TLS.
   */
  clientCertificate?(): PeerCertificate | undefined;
}

/** A request and the headers of its answer, the same on Express and Fastify. */
export interface TransportExchange {
  readonly request: TransportRequest;
  /** For `write`: the end of the login in seconds since 1970, if it is known. */
  readonly endsAt?: number | undefined;
  /**
   * For `write`: whether the browser is to remember the login, if an earlier request or the application has said so. Otherwise
   * undefined: the body says so. A login that ends with a redirect to one of the `pages` is written to the answer of a GET.
   */
  readonly remember?: boolean | undefined;
  /** Sets a header of the answer, replacing an earlier value. */
  setHeader(name: string, value: string): void;
  /** Adds a value to a header of the answer, for example another `Set-Cookie`. */
  appendHeader(name: string, value: string): void;
}
