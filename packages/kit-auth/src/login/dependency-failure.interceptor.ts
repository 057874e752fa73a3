import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { catchError, type Observable, throwError } from 'rxjs';
import { announced } from '../context/kit-auth.context.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe-error.js';

/**
 * Answers 50300 when a handler fails with anything but an `HttpException`, and logs the error. Sets the headers of
 * refusals, so that they survive a catch-all filter of the application. For endpoints of packages.
 */
@Injectable()
export class DependencyFailureInterceptor implements NestInterceptor {
  private readonly logger = new Logger('KitAuth');

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(catchError((error: unknown) => throwError(() => announced(this.translated(error, context)))));
  }

  private translated(error: unknown, context: ExecutionContext): unknown {
    if (error instanceof HttpException) {
      return error;
    }
    const where = `${context.getClass().name}.${context.getHandler().name}`;
    this.logger.error(`[auth] ${where} failed: ${describeError(error)}`, ...stackOf(error));
    return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1, cause: error });
  }
}
