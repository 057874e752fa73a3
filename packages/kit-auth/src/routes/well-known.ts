import { RequestMethod } from '@nestjs/common';
import type { ApplicationConfig, ModulesContainer } from '@nestjs/core';

/** The metadata of controllers that no global prefix moves: the name behind `/.well-known/`. */
export const WELL_KNOWN = 'kit-auth:well-known';

export function wellKnownPath(name: string): string {
  return `/.well-known/${name}`;
}

/** Excludes such controllers from the global prefix. Calling it again changes nothing. */
export function excludeWellKnown(modules: ModulesContainer, config: ApplicationConfig): void {
  const options = config.getGlobalPrefixOptions();
  const { exclude = [] } = options;
  const excluded = new Set(exclude.map(({ path }) => path));
  const added = [...modules.values()]
    .flatMap(({ controllers }) => [...controllers.values()])
    .flatMap(
      ({ metatype }) => (Reflect.getMetadata(WELL_KNOWN, metatype as object) as string | undefined) ?? [],
    )
    .map(wellKnownPath)
    .filter((path) => !excluded.has(path))
    .map((path) => ({
      path,
      pathRegex: new RegExp(`^${path.replaceAll('.', '\\.')}(?:/|$)`, 'i'),
      requestMethod: RequestMethod.ALL,
    }));
  if (added.length > 0) {
    config.setGlobalPrefixOptions({ ...options, exclude: [...exclude, ...added] });
  }
}
