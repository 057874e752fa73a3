import { SetMetadata } from '@nestjs/common';

/** `CACHE_KEY_METADATA` of `@nestjs/cache-manager`. An answer without a key is neither stored nor read. */
const CACHE_KEY = 'cache_module:cache_key';
const noKey = (): undefined => undefined;

/**
 * Exempts the methods of a controller from a `CacheInterceptor` of the application. Its keys are URLs, so it would
 * answer a user with what it stored for another one.
 */
export function uncached(controller: { readonly prototype: object }): void {
  const { prototype } = controller;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name !== 'constructor' && typeof descriptor.value === 'function') {
      SetMetadata(CACHE_KEY, noKey)(prototype, name, descriptor);
    }
  }
}
