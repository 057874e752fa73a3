import type { LoginUser } from '../contract/login-user.js';
import type { TransportRequest } from '../contract/token-transport.js';
import type { AuthException } from '../errors/auth.exception.js';

/**
 * Injection token of sentences that errors have for people besides their `message`. `KitAuthLanguagesModule` provides some. At
 * most one module may contribute them. With two, start-up fails with `IllegalStateException`.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: ERROR_TEXTS, useClass: Sentences }] })
 * export class SentencesModule {}
 * ```
 */
export const ERROR_TEXTS = Symbol.for('kit-auth.error-texts');

/** Additions to the body of an error. */
export interface ErrorText {
  /** A sentence for people. It must not contain anything that was sent. */
  readonly text?: string;
  /** Replaces the `message` of the body. */
  readonly message?: string;
  /** The language of the sentence, as a BCP 47 tag. */
  readonly language: string;
}

/**
 * Finds the sentences of errors. If it throws, the error is logged, and the answer has no sentence.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class Sentences implements ErrorTextSource {
 *   textOf({ code }: AuthException): ErrorText | undefined {
 *     return code === AuthErrorCode.LOGIN_FAILED ? { text: 'Das hat nicht geklappt.', language: 'de' } : undefined;
 *   }
 *
 *   languageOf(): string {
 *     return 'de';
 *   }
 * }
 * ```
 */
export interface ErrorTextSource {
  /**
   * Called with each error that a client gets, unless its body has a `text` or a `language` already.
   *
   * @param request undefined for messages of microservices; for messages of sockets, the request that opened the connection
   * @param user undefined before the token is resolved, and on open routes
   * @returns undefined without a sentence. Not a promise
   */
  textOf(
    exception: AuthException,
    request: TransportRequest | undefined,
    user: LoginUser | undefined,
  ): ErrorText | undefined;
  /** The language that `textOf` prefers for a request. */
  languageOf(request: TransportRequest | undefined, user: LoginUser | undefined): string;
}
