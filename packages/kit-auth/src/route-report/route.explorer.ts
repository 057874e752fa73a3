import { Injectable, RequestMethod, type Type, type VersioningOptions } from '@nestjs/common';
import { MODULE_PATH, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, HttpAdapterHost, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { PathsExplorer } from '@nestjs/core/router/paths-explorer.js';
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';
import { withLeadingSlash } from '../routes/paths.js';
import { OURS } from '../routes/route-rule.js';
import { excludeWellKnown } from '../routes/well-known.js';

type Module = ModulesContainer extends Map<string, infer M> ? M : never;
type VersionValue = NonNullable<VersioningOptions['defaultVersion']>;

export interface ExploredRoute {
  controller: object;
  handler: object;
  /** The name of the method, which its function may not have. */
  name: string;
  /** `GET`, `POST`..., or `ALL`. */
  method: string;
  /** The path as registered with the router, including prefix, version and module path. */
  path: string;
  /** Whether the route belongs to the core or to a package that extends it. */
  ours: boolean;
}

/** Lists the routes of the application from its metadata, the way Nest registers them. */
@Injectable()
export class RouteExplorer {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: ApplicationConfig,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  explore(): ExploredRoute[] {
    // Commands do not register routes.
    excludeWellKnown(this.modules, this.config);
    return [...this.modules.values()].flatMap((module) =>
      [...module.controllers.values()].flatMap(({ metatype }) =>
        typeof metatype === 'function' ? this.routesOf(metatype as Type<object>, module) : [],
      ),
    );
  }

  private routesOf(controller: Type<object>, module: Module): ExploredRoute[] {
    const pathFactory = new RoutePathFactory(this.config);
    const adapter = this.adapterHost.httpAdapter;
    const versioning = this.config.getVersioning();
    const controllerVersion =
      (Reflect.getMetadata(VERSION_METADATA, controller) as VersionValue | undefined) ??
      versioning?.defaultVersion;
    const controllerPaths = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
    const handlers = new PathsExplorer(new MetadataScanner()).scanForPaths(
      controller.prototype as object,
      controller.prototype as object,
    );
    return handlers.flatMap(({ path: methodPaths, requestMethod, targetCallback, methodName, version }) =>
      pairs(controllerPaths, methodPaths).flatMap(([ctrlPath, methodPath]) =>
        pathFactory
          .create(
            {
              ctrlPath,
              methodPath,
              modulePath: this.modulePathOf(module.metatype),
              globalPrefix: withLeadingSlash(this.config.getGlobalPrefix()),
              ...(versioning && { versioningOptions: versioning }),
              ...(versioning && controllerVersion !== undefined && { controllerVersion }),
              ...(version !== undefined && { methodVersion: version }),
            },
            requestMethod,
          )
          .map((path) => ({
            controller,
            handler: targetCallback,
            name: methodName,
            method: RequestMethod[requestMethod],
            path: adapter.normalizePath(path),
            ours: Reflect.hasMetadata(OURS, controller),
          })),
      ),
    );
  }

  private modulePathOf(metatype: object): string {
    const path: unknown =
      Reflect.getMetadata(MODULE_PATH + this.modules.applicationId, metatype) ??
      Reflect.getMetadata(MODULE_PATH, metatype);
    return typeof path === 'string' ? path : '';
  }
}

function pairs<A, B>(first: readonly A[], second: readonly B[]): [A, B][] {
  return first.flatMap((a) => second.map((b): [A, B] => [a, b]));
}
