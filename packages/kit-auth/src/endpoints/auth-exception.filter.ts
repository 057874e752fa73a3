import { type ArgumentsHost, Catch } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError } from 'rxjs';
import { hasRefusalHeaders } from '../context/kit-auth.context.js';
import { AuthException, setRefusalHeaders } from '../errors/auth.exception.js';

/**
 * Answers an `AuthException` that no filter of the application catches, also one that a handler of the application
 * throws. Nest asks no global filter for gateways.
 */
@Catch(AuthException)
export class AuthExceptionFilter extends BaseExceptionFilter {
  override catch(exception: AuthException, host: ArgumentsHost): unknown {
    switch (host.getType<string>()) {
      case 'http':
        if (!hasRefusalHeaders(exception)) {
          setRefusalHeaders(exception, host.switchToHttp().getResponse());
        }
        super.catch(exception, host);
        return undefined;
      case 'rpc':
        return throwError(() => exception.getResponse());
      default: // GraphQL and its like answer from what is thrown
        throw exception;
    }
  }
}
