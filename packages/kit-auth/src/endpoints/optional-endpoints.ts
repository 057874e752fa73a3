import type { FactoryProvider, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * Removes a controller from the application unless its endpoints are wanted: they answer 404 then. This happens while the
 * application is created, so that no router, route report or OpenAPI document has read the controllers yet.
 *
 * @param inject what the condition depends on
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
