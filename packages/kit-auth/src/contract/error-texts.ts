import type { ArgumentsHost } from '@nestjs/common';
import type { AuthErrorBody, AuthException } from '../errors/auth.exception.js';

/**
 * The bodies of errors, with the sentence for people if the application imports `KitAuthLanguagesModule`. For filters of
 * the application that answer an `AuthException` themselves. Inject it.
 *
 * @example
 * ```ts
 * @Catch(AuthException)
 * export class ErrorFilter implements ExceptionFilter {
 *   constructor(private readonly texts: ErrorTexts) {}
 *
 *   catch(exception: AuthException, host: ArgumentsHost): void {
 *     const body = this.texts.of(exception, host);
 *     host.switchToHttp().getResponse<Response>().status(exception.getStatus()).json({ failed: true, ...body });
 *   }
 * }
 * ```
 */
export abstract class ErrorTexts {
  /**
   * The body of an exception, with `text` and `language` where there is a sentence. It then also sets `Content-Language`,
   * and adds `Accept-Language` to `Vary`, on an HTTP answer whose headers were not sent. Without the languages package, it is
   * `exception.getResponse()`.
   *
   * @param host of the filter; if it is left out, the current request or message
   */
  abstract of(exception: AuthException, host?: ArgumentsHost): AuthErrorBody;
  /** The language of the current request or message, as a BCP 47 tag. Undefined without the languages package. */
  abstract language(): string | undefined;
  /** @internal The exception itself if there is no sentence, otherwise one whose body has it. Others may share the first. */
  abstract translated(exception: AuthException, host: ArgumentsHost): AuthException;
}
