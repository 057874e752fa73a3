import { IllegalStateException } from '../errors/auth.exception.js';

/** On a handler: the function that has the decorators. Wrappers that copy metadata bring it along. */
export const METHOD = 'kit-auth:method';
/** On the handler of an endpoint: the declaration. */
export const HANDLED = 'kit-auth:endpoint';

interface Method {
  name: string;
  value: object;
  /** The function that has the decorators. */
  decorated: object;
}

/**
 * The function whose decorators apply to a handler: the handler itself, unless something has replaced the method.
 *
 * @throws IllegalStateException for a handler of a class with decorated methods that is none of them
 * @example
 * const isInternal = Reflect.hasMetadata('internal', decoratedMethodOf(route.controller, route.handler));
 */
export function decoratedMethodOf(type: object, handler: object): object {
  const methods = methodsOf(type);
  const known =
    methods.find(({ value }) => value === handler)?.decorated ??
    (Reflect.getOwnMetadata(METHOD, handler) as object | undefined);
  if (known !== undefined) {
    return known;
  }
  // Tracing libraries wrap handlers and copy their metadata.
  if (isDecorated(handler)) {
    return handler;
  }
  // They keep the name too. A request-scoped instance binds its methods for every request.
  const [, name] = /^(?:bound )*(.+)$/.exec((handler as { name?: string }).name ?? '') ?? [];
  const named = methods.find((method) => method.name === name);
  if (named !== undefined) {
    return named.decorated;
  }
  if (methods.some(hasDecorators)) {
    throw new IllegalStateException(
      `${(type as { name: string }).name} replaces one of its handlers by a function of another name, so its ` +
        'decorators cannot be determined. Leave handlers as they are (Nest binds them), or use .bind().',
    );
  }
  return handler;
}

/** The methods of a class and of its base classes, its own first. */
export function methodsOf(type: object): Method[] {
  const methods: Method[] = [];
  let owner = (type as { prototype?: object | null }).prototype ?? null;
  while (owner !== null && owner !== Object.prototype) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value === 'function' && name !== 'constructor') {
        const method = value as object;
        methods.push({ name, value: method, decorated: decoratedFunctionOf(owner, name) ?? method });
      }
    }
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return methods;
}

export function hasDecorators({ decorated }: Method): boolean {
  return isDecorated(decorated);
}

/** Whether a class or function has a decorator of ours, also one of another package. */
export function isDecorated(target: unknown): boolean {
  return typeof target === 'function' && Reflect.getMetadataKeys(target).some(isOurs);
}

function isOurs(key: unknown): boolean {
  return typeof key === 'string' && key.startsWith('kit-auth:') && key !== METHOD;
}

const DECORATED = 'kit-auth:decorated';

/**
 * The target for the metadata of a decorator: the class, or the function of the method. The function is also stored by
 * class and name, because a decorator above may replace it (`descriptor.value = ...`) without copying its metadata.
 *
 * @example
 * const Internal =
 *   (): MethodDecorator =>
 *   (target, name, descriptor: PropertyDescriptor) =>
 *     Reflect.defineMetadata('internal', true, decoratedTarget(target, name, descriptor));
 */
export function decoratedTarget(
  target: object,
  name?: string | symbol,
  descriptor?: PropertyDescriptor,
): object {
  const method = descriptor?.value as object | undefined;
  if (name === undefined || method === undefined) {
    return target;
  }
  const before = decoratedFunctionOf(target, name);
  if (before !== undefined && before !== method) {
    for (const key of Reflect.getOwnMetadataKeys(before) as unknown[]) {
      if (String(key).startsWith('kit-auth:') && !Reflect.hasOwnMetadata(key, method)) {
        Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, before), method);
      }
    }
  }
  Reflect.defineMetadata(DECORATED, method, target, name);
  return method;
}

/** The function of a method that has decorators of this package; undefined when it has none. */
function decoratedFunctionOf(owner: object, name: string | symbol): object | undefined {
  return Reflect.getOwnMetadata(DECORATED, owner, name) as object | undefined;
}
