import { decoratedTarget } from './decorated-function.js';

export const PUBLIC = 'kit-auth:public';

/**
 * Opens a handler, or all handlers of a class and of the classes that inherit from it, to requests without a
 * token. On a method it outweighs the class; `@Public(false)` closes what a base class opened.
 */
export const Public =
  (open = true): ClassDecorator & MethodDecorator =>
  (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) =>
    Reflect.defineMetadata(PUBLIC, open, decoratedTarget(target, name, descriptor));
