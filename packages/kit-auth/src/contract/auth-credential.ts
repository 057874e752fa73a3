import type { Principal, ResolvedLogin } from './login-proof.js';
import type { Requirement } from './requirement.js';
import type { TransportRequest } from './token-transport.js';

/**
 * Injection token of credentials besides the provider's tokens, for example API keys. Any module may contribute any
 * number of them. Each resolves its own tokens. All others go to the provider.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_CREDENTIAL, useClass: ApiKeyCredential }] })
 * export class ApiKeyModule {}
 * ```
 */
export const AUTH_CREDENTIAL = Symbol.for('kit-auth.credential');

/**
 * Resolves its own kind of tokens. It has exactly one of `prefix`, `issuers`, `authScheme` and `read`, which says how its
 * tokens are found:
 *
 * - `prefix`: behind the prefix of the token header, as in `Authorization: Bearer key_...`;
 * - `issuers`: there as well, by the claim `iss` of a JWT;
 * - `authScheme`: in the token header with a scheme of its own, as in `Authorization: HMAC-SHA256 ...`;
 * - `read()`: in requests without the token header, for example by the certificate of the client.
 *
 * If the credential refuses a token, neither another credential nor the provider is asked.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class ApiKeyCredential implements AuthCredential {
 *   readonly prefix = 'key_';
 *   readonly scheme = 'api-key';
 *
 *   constructor(private readonly keys: ApiKeys) {}
 *
 *   async resolve(token: string): Promise<ResolvedLogin> {
 *     const user = await this.keys.ownerOf(token);
 *     if (user === undefined) {
 *       throw new AuthException(AuthErrorCode.TOKEN_INVALID);
 *     }
 *     return { user, proof: { factors: { key: Math.floor(Date.now() / 1000) } } };
 *   }
 *
 *   authorize(principal: Principal, { requirements }: RequestedRoute): void {
 *     if (!requirements.some(({ kind }) => kind === 'permission')) {
 *       throw new AuthException(AuthErrorCode.KEY_NOT_ALLOWED);
 *     }
 *   }
 * }
 * ```
 */
export interface AuthCredential {
  /**
   * The literal prefix of its tokens: 3 to 16 characters of `[\w.-]`. Start-up fails with `IllegalStateException` when
   * one prefix begins with another.
   */
  readonly prefix?: string;
  /**
   * The exact `iss` of its tokens, which are JWTs. Nothing else of a token is checked before `resolve` is called. Start-up
   * fails with `IllegalStateException` when two credentials have the same issuer, or the provider has it.
   */
  readonly issuers?: readonly string[];
  /**
   * The scheme before its tokens in the token header, instead of the configured prefix, for example `HMAC-SHA256`. A
   * token is all that follows the scheme and a space. Schemes are compared without regard to case. Start-up fails with
   * `IllegalStateException` when two credentials have the same, or the configured prefix is the same.
   */
  readonly authScheme?: string;
  /**
   * The token of a request that has no token header, or undefined. For example the fingerprint of its certificate, or
   * the value of another header. A request for which two credentials, or a credential and the token transport, have a
   * token gets 40101. Throw an `AuthException` to refuse a request.
   *
   * Browsers send certificates also with requests that other sites cause. If users have certificates, refuse requests
   * whose `Sec-Fetch-Site` is `cross-site`, as `kit-auth-browser` does for cookies.
   */
  read?(request: TransportRequest): string | undefined;
  /** The value of `Principal.scheme`, for example `api-key`. It must differ from the `extensionName` of the provider. */
  readonly scheme: string;
  /**
   * Throw or reject with `AuthException(TOKEN_INVALID)` for an invalid token. Any other error counts as a failure of
   * the credential: it is logged and answered with 50300.
   *
   * @param token as it was found. Of a credential with a `prefix`, the prefix is a part of it
   * @param request the request with the token, for example to check its signature or certificate. Undefined for
   * `AuthManager.getLoginUser()`, which only knows tokens with a `prefix` or `issuers`
   */
  resolve(token: string, request?: TransportRequest): ResolvedLogin | Promise<ResolvedLogin>;
  /**
   * Decides whether the principal may call this route at all, before its requirements are checked. Without this method,
   * only the requirements decide. Throw or reject with an `AuthException`, for example 40304 `KEY_NOT_ALLOWED`.
   */
  authorize?(principal: Principal, route: RequestedRoute): void | Promise<void>;
  /**
   * Whether any of its tokens can call a route, for the access report and OpenAPI documents. Without this method, they list
   * all protected routes. It does not refuse requests: `authorize` has to refuse the same routes.
   */
  allows?(route: RequestedRoute): boolean;
  /**
   * The URL of the metadata that tells clients where to get its tokens (RFC 9728). Refusals of requests without a valid token
   * name it in `WWW-Authenticate`.
   */
  readonly resourceMetadata?: string | undefined;
  /** Called when a request has met all requirements of its route. Requests wait for it, so it must not block. */
  admitted?(principal: Principal): void;
}

/** The route that a request matched. */
export interface RequestedRoute {
  /** The controller class. */
  readonly controller: object;
  /** The method of the controller. */
  readonly handler: object;
  /** The requirements of the class and of the method, in the order of the checks. */
  readonly requirements: readonly Requirement[];
  /** Whether it is an endpoint of our packages: one of a `@KitAuthController()`. */
  readonly ours: boolean;
}
