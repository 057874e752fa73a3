import { type ExecutionContext, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { connectionHookOf, requiresToken, RouteRules } from 'kit-auth/tools';

/** The injection token of the options of @nestjs/graphql, an optional package. */
const MODULE_OPTIONS = 'GqlModuleOptions';

interface GraphQlOptions {
  readonly path?: string;
  readonly useGlobalPrefix?: boolean;
  readonly subscriptions?: { readonly 'graphql-ws'?: boolean | { readonly path?: string } };
}

/** Stands for a resolver without decorators, about which the path decides. */
class AnyResolver {}
const OPERATION = {
  getClass: () => AnyResolver,
  getHandler: () => connectionHookOf(AnyResolver),
  getType: () => 'graphql',
} as unknown as ExecutionContext;

/** Compares the path of each GraphQL server with the path of its subscriptions: both lead to the same resolvers. */
@Injectable()
export class SubscriptionPaths implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: ApplicationConfig,
    private readonly routes: RouteRules,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException for subscriptions that open what the path of their server protects */
  onApplicationBootstrap(): void {
    for (const { path = '/graphql', useGlobalPrefix = false, subscriptions } of this.servers()) {
      const options = subscriptions?.['graphql-ws'];
      const own = typeof options === 'object' ? options.path : undefined;
      const prefix = useGlobalPrefix ? this.config.getGlobalPrefix() : '';
      if (
        own !== undefined &&
        this.needsToken(joined(prefix, path)) &&
        !this.needsToken(joined(prefix, own))
      ) {
        throw new IllegalStateException(
          `kit.auth.protect protects ${joined(prefix, path)}, but not ${joined(prefix, own)}, where subscriptions reach the ` +
            "same resolvers. Add that path to kit.auth.protect, or remove it from subscriptions['graphql-ws'].",
        );
      }
    }
  }

  private servers(): GraphQlOptions[] {
    const modules = this.settings.enabled ? [...this.modules.values()] : [];
    return modules.flatMap(
      ({ providers }) => (providers.get(MODULE_OPTIONS)?.instance as GraphQlOptions | undefined) ?? [],
    );
  }

  private needsToken(url: string): boolean {
    return requiresToken(this.routes.ruleFor(OPERATION, {}), { url }, true);
  }
}

function joined(...parts: readonly string[]): string {
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;
}
