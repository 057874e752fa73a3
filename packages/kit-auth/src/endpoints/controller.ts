import {
  applyDecorators,
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
  NotFoundException,
  Optional,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { catchError } from 'rxjs/operators'; // `rxjs` itself exports operators since 7.2
import { withRefusalHeaders } from '../context/kit-auth.context.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { unavailable } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';
import { RequireToken } from '../routes/require.decorators.js';
import { OURS } from '../routes/route-rule.js';

/**
 * A controller under `/v1/api/auth`, for endpoints of the core and of packages that extend it. Versioning does not change its
 * paths. Its methods need a token unless they have `@Public()`, whatever `protect` and the white-list say. It answers 404 while
 * `kit.auth.enabled` is false, and 50300 when a database or another dependency fails. A `CacheInterceptor` of the application
 * does not store its answers.
 *
 * @param path behind `/v1/api/auth/`
 *
 * @example
 * ```ts
 * @KitAuthController('keys')
 * export class KeyController {}
 * ```
 */
export function KitAuthController(path = ''): ClassDecorator {
  return applyDecorators(
    Controller({ path: path === '' ? 'v1/api/auth' : `v1/api/auth/${path}`, version: VERSION_NEUTRAL }),
    SetMetadata(OURS, true),
    RequireToken(),
    UseGuards(OnlyWhenEnabled),
    UseInterceptors(DependencyFailureInterceptor),
    uncached,
  );
}

/** The module's own endpoints answer 404 while `kit.auth.enabled` is false. */
@Injectable()
export class OnlyWhenEnabled implements CanActivate {
  /** @param settings undefined without the core. The package of the endpoints reports that */
  constructor(@Optional() @Inject(KIT_AUTH_SETTINGS) private readonly settings?: KitAuthSettings) {}

  canActivate(): boolean {
    if (this.settings?.enabled !== true) {
      throw new NotFoundException();
    }
    return true;
  }
}

/**
 * Answers 50300 when a handler throws an error other than an `HttpException`, and logs it. Sets the headers of
 * refusals, so that they survive a catch-all filter of the application.
 */
@Injectable()
class DependencyFailureInterceptor implements NestInterceptor {
  private readonly logger = new Logger('KitAuth');

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        catchError((error: unknown) => throwError(() => withRefusalHeaders(this.translated(error, context)))),
      );
  }

  private translated(error: unknown, context: ExecutionContext): unknown {
    if (error instanceof HttpException) {
      return error;
    }
    const where = `${context.getClass().name}.${context.getHandler().name}`;
    this.logger.error(`[auth] ${where} failed: ${describeError(error)}`, ...stackOf(error));
    return unavailable(error);
  }
}

/** `CACHE_KEY_METADATA` of `@nestjs/cache-manager`. An answer without a key is neither stored nor read. */
const CACHE_KEY = 'cache_module:cache_key';
const noKey = (): undefined => undefined;

/**
 * Exempts the methods of a controller from a `CacheInterceptor` of the application. Its keys are URLs, so a user would
 * get the stored answer of another user.
 */
function uncached(controller: { readonly prototype: object }): void {
  const { prototype } = controller;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name !== 'constructor' && typeof descriptor.value === 'function') {
      SetMetadata(CACHE_KEY, noKey)(prototype, name, descriptor);
    }
  }
}
