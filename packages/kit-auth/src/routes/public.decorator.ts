import { decoratedTarget } from './decorated-function.js';

export const PUBLIC = 'kit-auth:public';

/**
 * Opens a handler to requests without a token. On a class, it opens all handlers, including those of derived classes. A
 * decorator on a method takes precedence over one on its class. `@Public(false)` protects what a base class opened.
 *
 * @example
 * ```ts
 * @Public()
 * @Get('health')
 * health() {
 *   return { status: 'ok' };
 * }
 * ```
 */
export const Public =
  (open = true): ClassDecorator & MethodDecorator =>
  (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) =>
    Reflect.defineMetadata(PUBLIC, open, decoratedTarget(target, name, descriptor));
