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
export function decoratedFunctionOf(owner: object, name: string | symbol): object | undefined {
  return Reflect.getOwnMetadata(DECORATED, owner, name) as object | undefined;
}
