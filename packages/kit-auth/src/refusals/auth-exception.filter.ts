import { type ArgumentsHost, Catch } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError } from 'rxjs';
import { hasRefusalHeaders } from '../context/kit-auth.context.js';
import { ErrorTexts } from '../contract/error-texts.js';
import { AuthException, setRefusalHeaders } from '../errors/auth.exception.js';

/**
 * Answers an `AuthException` that no filter of the application catches, also one that a handler of the application
 * throws. Nest asks no global filter for gateways.
 */
@Catch(AuthException)
export class AuthExceptionFilter extends BaseExceptionFilter {
  constructor(private readonly texts: ErrorTexts) {
    super();
  }

  override catch(exception: AuthException, host: ArgumentsHost): unknown {
    switch (host.getType<string>()) {
      case 'http':
        if (!hasRefusalHeaders(exception)) {
          setRefusalHeaders(exception, host.switchToHttp().getResponse());
        }
        this.answer(exception, host);
        return undefined;
      case 'rpc': {
        const body = this.texts.of(exception, host);
        return throwError(() => body);
      }
      default: // GraphQL and its like answer from what is thrown
        throw this.texts.translated(exception, host);
    }
  }

  private answer(exception: AuthException, host: ArgumentsHost): void {
    const body = this.texts.of(exception, host);
    const response = host.getArgByIndex<unknown>(1);
    const adapter = this.httpAdapterHost?.httpAdapter;
    if (body === exception.getResponse() || adapter === undefined || adapter.isHeadersSent(response)) {
      super.catch(exception, host);
    } else {
      // Like super.catch(), without a copy of the exception, which would cost more than the sentence.
      adapter.reply(response, body, exception.getStatus());
    }
  }
}
