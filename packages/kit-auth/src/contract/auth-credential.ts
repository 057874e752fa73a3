import type { Principal, ResolvedLogin } from './login-proof.js';
import type { Requirement } from './requirement.js';

/**
 * Injection token of credentials besides the provider's tokens, for example API keys. Any module may contribute any
 * number of them. Each resolves the tokens that begin with its own prefix. All other tokens go to the provider.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_CREDENTIAL, useClass: ApiKeyCredential }] })
 * export class ApiKeyModule {}
 * ```
 */
export const AUTH_CREDENTIAL = Symbol.for('kit-auth.credential');

/**
 * Resolves its own kind of tokens. They are read from the token header only, not from cookies. If the credential refuses a
 * token, neither another credential nor the provider is asked.
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
  readonly prefix: string;
  /** The value of `Principal.scheme`, for example `api-key`. */
  readonly scheme: string;
  /**
   * Throw or reject with `AuthException(TOKEN_INVALID)` for an invalid token. Any other error counts as a failure of
   * the credential: it is logged and answered with 50300.
   */
  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin>;
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
