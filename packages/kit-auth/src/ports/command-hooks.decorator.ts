import type { Type } from '@nestjs/common';

const COMMAND_HOOKS = Symbol.for('kit-auth.command-hooks');

/**
 * Marks a module of a package whose providers take part in commands of `npx kit-auth`. There, the lifecycle hooks of
 * these providers run, but neither the hooks of the module class nor those of the application's own modules.
 *
 * @example
 * ```ts
 * @CommandHooks()
 * @Module({ providers: [KeyStore] })
 * export class KeysModule {}
 * ```
 */
export function CommandHooks() {
  return (module: Type): void => {
    Reflect.defineMetadata(COMMAND_HOOKS, true, module);
  };
}

export function hasCommandHooks(module: object): boolean {
  return Reflect.hasMetadata(COMMAND_HOOKS, module);
}
