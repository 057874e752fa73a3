import { applyDecorators, Controller, UseGuards, UseInterceptors, VERSION_NEUTRAL } from '@nestjs/common';
import { DependencyFailureInterceptor } from '../errors/dependency-failure.interceptor.js';
import { OnlyWhenEnabled } from './only-when-enabled.guard.js';

/**
 * A controller under `/v1/api/auth`, for endpoints of the core and of packages that extend it. Its paths do not depend
 * on the versioning of the application. It answers 404 while `kit.auth.enabled` is false, and 50300 when a database or
 * another dependency fails.
 *
 * @param path behind `/v1/api/auth/`
 *
 * @example
 * ```ts
 * @KitAuthController('keys')
 * @RequireToken()
 * export class KeyController {}
 * ```
 */
export function KitAuthController(path = ''): ClassDecorator {
  return applyDecorators(
    Controller({ path: path === '' ? 'v1/api/auth' : `v1/api/auth/${path}`, version: VERSION_NEUTRAL }),
    UseGuards(OnlyWhenEnabled),
    UseInterceptors(DependencyFailureInterceptor),
  );
}
