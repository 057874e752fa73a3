import { type ArgumentsHost, Catch } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError } from 'rxjs';
import { AuthErrorCode } from './auth-error-code.js';
import { AuthException } from './auth.exception.js';

interface WebSocketClient {
  emit(event: string, data: unknown): void;
}

/** Adds to Nest's own answer the headers that belong to it (RFC 9110 section 11.6.1, RFC 6750 section 3). */
@Catch(AuthException)
export class AuthExceptionFilter extends BaseExceptionFilter {
  override catch(exception: AuthException, host: ArgumentsHost): unknown {
    switch (host.getType<string>()) {
      case 'http':
        this.setHeaders(exception, host.switchToHttp().getResponse());
        super.catch(exception, host);
        return undefined;
      case 'ws':
        host.switchToWs().getClient<WebSocketClient>().emit('exception', exception.getResponse());
        return undefined;
      case 'rpc':
        return throwError(() => exception.getResponse());
      default: // GraphQL and its like answer from what is thrown
        throw exception;
    }
  }

  private setHeaders(exception: AuthException, response: unknown): void {
    const adapter = this.applicationRef ?? this.httpAdapterHost?.httpAdapter;
    if (!adapter || adapter.isHeadersSent(response)) {
      return;
    }
    if (exception.getStatus() === 401) {
      const error = exception.code === AuthErrorCode.TOKEN_INVALID ? ', error="invalid_token"' : '';
      adapter.setHeader(response, 'WWW-Authenticate', `Bearer realm="kit-auth"${error}`);
    }
    if (exception.retryAfter !== undefined) {
      adapter.setHeader(response, 'Retry-After', String(exception.retryAfter));
    }
    adapter.setHeader(response, 'Cache-Control', 'no-store');
  }
}
