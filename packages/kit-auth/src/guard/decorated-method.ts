import type { DiscoveryService } from '@nestjs/core';
import { requirementsOn } from '../access/require.decorators.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { PUBLIC } from './public.decorator.js';

/** On a function that replaces a method of an instance: the method that has the decorators. */
const METHOD = 'kit-auth:method';

type Members = Readonly<Record<string, unknown>>;

/**
 * Finds handlers that an instance has replaced (`this.list = this.list.bind(this)` in a constructor) and keeps for
 * each the method of its class, which has the decorators. To be called once all instances are there.
 *
 * @throws IllegalStateException when one function replaces several methods, so that its decorators cannot be told
 */
export function findReplacedMethods(discovery: DiscoveryService): void {
  for (const { instance } of [...discovery.getControllers(), ...discovery.getProviders()]) {
    if (typeof instance === 'object' && instance !== null) {
      markReplacedMethods(instance as object);
    }
  }
}

function markReplacedMethods(instance: object): void {
  const prototype = Object.getPrototypeOf(instance) as Members | null;
  if (!membersOf(prototype).some(isDecorated)) {
    return;
  }
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(instance))) {
    const replacement: unknown = value;
    const method = prototype?.[name];
    if (typeof replacement !== 'function' || typeof method !== 'function' || replacement === method) {
      continue;
    }
    const known = Reflect.getOwnMetadata(METHOD, replacement) as object | undefined;
    const isShared = isMemberOf(prototype, replacement) || (known !== undefined && known !== method);
    if (isShared && [replacement, method, known].some(isDecorated)) {
      throw new IllegalStateException(
        `${instance.constructor.name}.${name} is replaced by a function that is another handler too, so its ` +
          'decorators cannot be told. Leave handlers as they are (Nest binds them), or give each a function of its own.',
      );
    }
    Reflect.defineMetadata(METHOD, method, replacement);
  }
}

/**
 * The method whose decorators count for a handler: the handler itself, unless an instance has replaced its method.
 *
 * @throws IllegalStateException for a handler of a class with decorated methods that is none of them
 */
export function decoratedMethodOf(type: object, handler: object): object {
  const replaced = Reflect.getOwnMetadata(METHOD, handler) as object | undefined;
  if (replaced !== undefined) {
    return replaced;
  }
  const prototype = (type as { prototype?: Members | null }).prototype ?? null;
  if (isMemberOf(prototype, handler)) {
    return handler;
  }
  // A request-scoped instance binds its methods anew for every request.
  const [, boundName] = /^(?:bound )+(.+)$/.exec((handler as { name?: string }).name ?? '') ?? [];
  const method = boundName === undefined ? undefined : prototype?.[boundName];
  if (typeof method === 'function') {
    return method;
  }
  if (membersOf(prototype).some(isDecorated)) {
    throw new IllegalStateException(
      `${(type as { name: string }).name} replaces one of its handlers by a function of another name, so its decorators ` +
        'cannot be told. Leave handlers as they are (Nest binds them), or use .bind().',
    );
  }
  return handler;
}

function isMemberOf(prototype: Members | null, handler: unknown): boolean {
  return membersOf(prototype).includes(handler);
}

/** The methods of a class and of its base classes. */
function membersOf(prototype: Members | null): unknown[] {
  return prototype === null
    ? []
    : [
        ...Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }) => value as unknown),
        ...membersOf(Object.getPrototypeOf(prototype) as Members | null),
      ];
}

function isDecorated(method: unknown): boolean {
  return (
    typeof method === 'function' &&
    (requirementsOn(method).length > 0 || Reflect.getMetadata(PUBLIC, method) !== undefined)
  );
}
