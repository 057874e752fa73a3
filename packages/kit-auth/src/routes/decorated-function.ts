const DECORATED = 'kit-auth:decorated';

/**
 * What a decorator of ours puts its metadata on: the class, or the function of the method. The function is kept by
 * class and name too, because a decorator above may replace it (`descriptor.value = ...`) and leave its metadata behind.
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

/** The function of a method that has our decorators; undefined where it has none. */
export function decoratedFunctionOf(owner: object, name: string | symbol): object | undefined {
  return Reflect.getOwnMetadata(DECORATED, owner, name) as object | undefined;
}
