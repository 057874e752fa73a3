import type { DiscoveryService } from '@nestjs/core';
import { decoratedFunctionOf } from './decorated-function.js';
import { IllegalStateException } from '../errors/auth.exception.js';

/** On a handler: the function that has the decorators. Wrappers that copy metadata bring it along. */
const METHOD = 'kit-auth:method';

interface Method {
  name: string;
  value: object;
  /** The function that has the decorators. */
  decorated: object;
}

type Wrapper = ReturnType<DiscoveryService['getControllers']>[number];

/**
 * Finds handlers that an instance has replaced (`this.list = this.list.bind(this)` in a constructor), and stores the
 * decorated method of its class for each. Called before Nest registers the routes, and again when all instances exist.
 *
 * @throws IllegalStateException when the decorators of a handler cannot be determined: one function replaces several
 * methods, or the instances of a controller hide their class
 */
export function findReplacedMethods(discovery: DiscoveryService): void {
  const controllers = new Set(discovery.getControllers());
  for (const wrapper of [...controllers, ...discovery.getProviders()]) {
    if (typeof wrapper.instance === 'object' && wrapper.instance !== null) {
      checkClass(wrapper, controllers.has(wrapper));
      markReplacedMethods(wrapper.instance as object);
    }
  }
}

/** Nest passes `instance.constructor` to guards. For a Proxy, that can be another function than the class. */
function checkClass({ instance, metatype, isNotMetatype }: Wrapper, isController: boolean): void {
  if (isNotMetatype || metatype === null || (instance as object).constructor === metatype) {
    return;
  }
  if (isController || isDecorated(metatype) || methodsOf(metatype).some(hasDecorators)) {
    throw new IllegalStateException(
      `${metatype.name}: the "constructor" of its instances is not this class, so its decorators cannot be determined. ` +
        'A Proxy has to return "constructor" as it is, and a class decorator must not return a Proxy.',
    );
  }
}

function markReplacedMethods(instance: object): void {
  const methods = methodsOf({ prototype: Object.getPrototypeOf(instance) as object | null });
  if (!methods.some(hasDecorators)) {
    return;
  }
  methods.forEach(({ value, decorated }) => Reflect.defineMetadata(METHOD, decorated, value));
  const names = new Set<string>();
  for (const { name, value, decorated } of methods) {
    if (names.has(name)) {
      continue; // overridden by a class that extends this one
    }
    names.add(name);
    const replacement: unknown = Reflect.get(instance, name);
    if (typeof replacement !== 'function' || replacement === value) {
      continue;
    }
    const known = Reflect.getOwnMetadata(METHOD, replacement) as object | undefined;
    if (known !== undefined && known !== decorated && [replacement, decorated, known].some(isDecorated)) {
      throw new IllegalStateException(
        `${instance.constructor.name}.${name} is replaced by a function that is another handler too, so its ` +
          'decorators cannot be determined. Leave handlers as they are (Nest binds them), or give each a function of ' +
          'its own.',
      );
    }
    Reflect.defineMetadata(METHOD, decorated, replacement);
  }
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
  const named = methods.find((it) => it.name === name);
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
function methodsOf(type: object): Method[] {
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

function hasDecorators({ decorated }: Method): boolean {
  return isDecorated(decorated);
}

/** Whether a class or function has a decorator of ours, also one of another package. */
function isDecorated(target: unknown): boolean {
  return typeof target === 'function' && Reflect.getMetadataKeys(target).some(isOurs);
}

function isOurs(key: unknown): boolean {
  return typeof key === 'string' && key.startsWith('kit-auth:') && key !== METHOD;
}
