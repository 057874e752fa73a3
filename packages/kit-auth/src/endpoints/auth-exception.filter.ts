import { type ArgumentsHost, Catch } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { throwError } from 'rxjs';
import { AuthException, type NodeResponse, setRefusalHeaders } from '../errors/auth.exception.js';

/**
 * Answers an `AuthException` that no filter of the application catches, also one that a handler of the application
 * throws. Nest asks no global filter for gateways.
 */
@Catch(AuthException)
export class AuthExceptionFilter extends BaseExceptionFilter {
  override catch(exception: AuthException, host: ArgumentsHost): unknown {
    switch (host.getType<string>()) {
      case 'http':
        setRefusalHeaders(exception, nodeResponseOf(host.switchToHttp().getResponse()));
        super.catch(exception, host);
        return undefined;
      case 'rpc':
        return throwError(() => exception.getResponse());
      default: // GraphQL and its like answer from what is thrown
        throw exception;
    }
  }
}

/** Node's response behind that of the platform: Express extends it, and a reply of Fastify has it in `raw`. */
function nodeResponseOf(response: NodeResponse | { readonly raw: NodeResponse }): NodeResponse {
  return 'raw' in response ? response.raw : response;
}
