import { decoratedMethodOf, decoratedTarget } from 'kit-auth/feature';

const ALLOW_KEYS = 'kit-auth:allow-keys';

/**
 * Admits API keys to a route that requires no permission. On a class, it applies to all methods. It does not admit keys to
 * routes with `@RequireRoles()` or `@RequireFresh()`. Permissions and policies still apply.
 *
 * @example
 * ```ts
 * @AllowKeys()
 * @Get('status')
 * status() {
 *   return this.jobs.status();
 * }
 * ```
 */
export const AllowKeys =
  (): ClassDecorator & MethodDecorator =>
  (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) =>
    Reflect.defineMetadata(ALLOW_KEYS, true, decoratedTarget(target, name, descriptor));

/** Whether a route has `@AllowKeys()`, on its method or on its class. */
export function areKeysAllowed(controller: object, handler: object): boolean {
  return [controller, decoratedMethodOf(controller, handler)].some((target) =>
    Reflect.hasMetadata(ALLOW_KEYS, target),
  );
}
