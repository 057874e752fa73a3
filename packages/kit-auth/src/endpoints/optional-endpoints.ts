import { type FactoryProvider, Inject, type Type } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AUTH_USER_STORE, type AuthUserStore } from '../contract/user-store.js';
import type { OptionalMethod } from '../users/active.user-store.js';

/**
 * Removes a controller from the application unless its endpoints are wanted. Without it, they answer 404. This happens while the
 * application is created, before the router, the route report and OpenAPI documents read the controllers.
 *
 * @param inject dependencies of the condition
 * @example
 * ```ts
 * @Module({
 *   controllers: [ExportController],
 *   providers: [
 *     exportOptions.provider(),
 *     endpointsIf(ExportController, [exportOptions.token], ({ settings }: ResolvedExportOptions) => settings.enabled),
 *   ],
 * })
 * export class ExportModule {}
 * ```
 */
export function endpointsIf(
  controller: Type,
  inject: NonNullable<FactoryProvider['inject']>,
  areWanted: (...dependencies: never[]) => boolean | Promise<boolean>,
): FactoryProvider {
  return {
    provide: Symbol(`the endpoints of ${controller.name}`),
    inject: [ModulesContainer, ...inject],
    useFactory: async (modules: ModulesContainer, ...dependencies: never[]) => {
      if (!(await areWanted(...dependencies))) {
        for (const { controllers } of modules.values()) {
          controllers.delete(controller);
        }
      }
    },
  };
}

/**
 * Removes a controller from the application unless the user store has all of the methods that its endpoints need.
 *
 * @example
 * ```ts
 * @Module({
 *   controllers: [DisableController],
 *   providers: [endpointsIfStoreHas(DisableController, 'disableUser')],
 * })
 * export class DisableModule {}
 * ```
 */
export function endpointsIfStoreHas(controller: Type, ...methods: OptionalMethod[]): FactoryProvider {
  return endpointsIf(
    controller,
    [ModulesContainer, KIT_AUTH_SETTINGS],
    async (modules: ModulesContainer, { enabled }: KitAuthSettings) => {
      const store = enabled ? await storeIn(modules) : undefined;
      return store === undefined || methods.every((method) => typeof store[method] === 'function');
    },
  );
}

/** Needs the store in its constructor, so that Nest creates that first. */
class StoreReader {
  constructor(@Inject(AUTH_USER_STORE) readonly store: AuthUserStore | undefined) {}
}

/** @returns undefined if there is none, or if it cannot be created, which start-up reports */
async function storeIn(modules: ModulesContainer): Promise<AuthUserStore | undefined> {
  const holder = [...modules.values()].find(({ providers }) => providers.has(AUTH_USER_STORE));
  const moduleRef = holder?.providers.get(ModuleRef)?.instance as ModuleRef | undefined;
  return moduleRef?.create(StoreReader).then(
    ({ store }) => store ?? undefined,
    () => undefined,
  );
}
