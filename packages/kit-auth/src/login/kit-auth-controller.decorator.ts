import {
  applyDecorators,
  Controller,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { RequireToken } from '../routes/require.decorators.js';
import { OURS } from '../routes/route-rule.js';
import { DependencyFailureInterceptor } from './dependency-failure.interceptor.js';
import { OnlyWhenEnabled } from './only-when-enabled.guard.js';
import { uncached } from './uncached.js';

/**
 * A controller under `/v1/api/auth`, for endpoints of the core and of packages that extend it. Its paths do not depend
 * on the versioning of the application. Its methods need a token, whatever `protect` and the white-list say, unless they
 * have `@Public()`. It answers 404 while `kit.auth.enabled` is false, and 50300 when a database or another dependency
 * fails. A `CacheInterceptor` of the application does not store its answers.
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
