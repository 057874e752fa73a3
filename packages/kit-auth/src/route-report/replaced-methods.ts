import type { DiscoveryService } from '@nestjs/core';
import { IllegalStateException } from '../errors/auth.exception.js';
import { hasDecorators, isDecorated, METHOD, methodsOf } from '../routes/decorated-method.js';

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
