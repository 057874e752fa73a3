import { Injectable } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { decoratedMethodOf } from '../routes/decorated-method.js';
import { withLeadingSlash, withSingleSlashes } from '../routes/paths.js';
import { OPENING, requirementsOn } from '../routes/require.decorators.js';
import { nameOf } from './route-access.js';
import type { ExploredRoute } from './route.explorer.js';

/** Keys of metadata and the token of options in @nestjs/graphql, which this package does not depend on. */
const RESOLVER_TYPE = 'graphql:resolver_type';
const RESOLVED_FIELD = 'graphql:resolve_property';
const MODULE_OPTIONS = 'GqlModuleOptions';

interface GraphQlOptions {
  path?: string;
  useGlobalPrefix?: boolean;
  fieldResolverEnhancers?: readonly string[];
}

interface ResolverMethod {
  controller: object;
  handler: object;
  name: string;
}

/** Lists the resolvers of @nestjs/graphql for the warnings at start-up. */
@Injectable()
export class ResolverExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: ApplicationConfig,
  ) {}

  /** Queries, mutations and subscriptions, at the path of each GraphQL server. */
  explore(): ExploredRoute[] {
    const paths = [...new Set(this.servers().map((options) => this.pathOf(options)))];
    return paths.flatMap((path) =>
      this.methods().flatMap((method) => {
        const type: unknown = Reflect.getMetadata(RESOLVER_TYPE, method.handler);
        return typeof type === 'string' ? [{ ...method, method: type, path, ours: false }] : [];
      }),
    );
  }

  /** Fields whose decorators have no effect, because Nest calls no guards for fields by default. */
  unguardedFields(): string[] {
    const isGuarded = (options: GraphQlOptions) =>
      options.fieldResolverEnhancers?.includes('guards') === true;
    if (this.servers().every(isGuarded)) {
      return [];
    }
    const names = this.methods()
      .filter(({ handler }) => Reflect.getMetadata(RESOLVED_FIELD, handler) === true)
      .filter(({ controller, handler }) => asksForToken(decoratedMethodOf(controller, handler)))
      .map(({ controller, name }) => `${nameOf(controller)}.${name}`);
    return [...new Set(names)];
  }

  private servers(): GraphQlOptions[] {
    return this.discovery
      .getProviders()
      .filter(({ token, instance }) => token === MODULE_OPTIONS && Boolean(instance))
      .map(({ instance }) => instance as GraphQlOptions);
  }

  private pathOf({ path = '/graphql', useGlobalPrefix = false }: GraphQlOptions): string {
    const prefix = useGlobalPrefix ? withLeadingSlash(this.config.getGlobalPrefix()) : '';
    return withSingleSlashes(`${prefix}/${path}`);
  }

  private methods(): ResolverMethod[] {
    const scanner = new MetadataScanner();
    return this.discovery.getProviders().flatMap(({ instance }) => {
      if (typeof instance !== 'object' || instance === null) {
        return [];
      }
      const prototype = Object.getPrototypeOf(instance) as object | null;
      return scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = Reflect.get(prototype as object, name) as object;
        const keys = [RESOLVER_TYPE, RESOLVED_FIELD];
        return keys.some((key) => Reflect.hasMetadata(key, handler))
          ? [{ controller: (prototype as object).constructor, handler, name }]
          : [];
      });
    });
  }
}

/** Whether a decorator on a method requires a token or, as `@OptionalUser()` does, reads one. */
function asksForToken(method: object): boolean {
  return requirementsOn(method).length > 0 || typeof Reflect.getMetadata(OPENING, method) === 'object';
}
