import {
  ConfigurableModuleBuilder,
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  Global,
  Inject,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { type AuthCommand, AUTH_COMMAND, CommandHooks } from './commands/auth-command.js';
import { AUTH_CREDENTIAL, type AuthCredential } from '../contract/auth-credential.js';
import { AUTH_EVENT_SINK, type AuthEventSink } from '../contract/auth-event.js';
import { AUTH_FACTOR, type Factor } from '../contract/factor.js';
import { LOGIN_STEP, type LoginStep } from '../contract/login-step.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { declareReasons, type Reasons } from '../refusals/declared-reasons.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { ActiveProvider } from '../ports/active.provider.js';
import { Ports } from '../ports/ports.js';
import { methodsOf } from '../routes/decorated-method.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import type { Belongings } from './belongings.js';
import { type Api, type EndpointKey, handledBy } from '../endpoints/endpoint.js';
import { type Additions, AUTH_OPERATIONS, type PackageEndpoints } from '../endpoints/operations.js';
import type { Shape } from '../endpoints/schema.js';

type StoreMethod = Parameters<ActiveUserStore['require']>[1];
/** Classes, which become providers unless an imported module exports them, or tokens of other providers. */
type Contributed<T> = readonly (Type<T> | Exclude<InjectionToken<T>, Type<T>>)[];

/** A package, as data. */
export interface FeatureDefinition {
  /** The result of `defineOptions()`. The group of this name in the options of `KitAuthModule` counts as well. */
  readonly options?: { provider(moduleOptions: InjectionToken): Provider };
  /** For options that several modules of the package share: the whole application can inject the argument by this token. */
  readonly optionsToken?: symbol;
  /** The requirements at start-up. */
  readonly needs?: {
    /** Tokens must record how users logged in (`AuthProvider.keepsProof`). */
    readonly proof?: true;
    /** Optional methods that the user store must have. */
    readonly store?: readonly StoreMethod[];
    /** The module may be imported more than once. */
    readonly many?: true;
  };
  /** The reasons that errors of the package can have, by code. */
  readonly reasons?: Reasons;
  /** The endpoints that its controllers handle. */
  readonly endpoints?: Api;
  /** Additions to endpoints of other packages, by their keys. */
  readonly additions?: Additions;
  /** The members that the package adds to the answers of logins. */
  readonly login?: Shape;
  /** Things that users own, such as API keys. */
  readonly owned?: Belongings;
  readonly credentials?: Contributed<AuthCredential>;
  readonly steps?: Contributed<LoginStep>;
  /** If logins ask for them, `imports` has `SecondFactorModule`. It brings the step. */
  readonly factors?: Contributed<Factor>;
  readonly sinks?: Contributed<AuthEventSink>;
  readonly commands?: Contributed<AuthCommand>;
  readonly imports?: ModuleMetadata['imports'];
  readonly controllers?: readonly Type<object>[];
  /** All providers but the classes of the lists above. */
  readonly providers?: readonly Provider[];
  readonly exports?: ModuleMetadata['exports'];
  /** The whole application can inject its exports. */
  readonly isGlobal?: true;
}

/** The class of a module. Applications import the class, or the result of one of its methods. */
export interface FeatureModule<Options> {
  /** Commands of `npx kit-auth` skip the hooks. A subclass that overrides one calls it. */
  new (...parts: never[]): OnModuleInit & OnApplicationBootstrap;
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  forRoot(options?: Options): DynamicModule;
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  forRootAsync(options: ConfigurableModuleAsyncOptions<Options>): DynamicModule;
}

/**
 * Makes the module of a package. Start-up checks its needs, that each endpoint has one handler, and that it is imported once.
 *
 * @param name the name of the package: in messages, and the tag of its endpoints in OpenAPI documents
 * @example
 * ```ts
 * export class NotesModule extends authFeature<NotesOptions>('kit-auth-notes', {
 *   options: notesOptions,
 *   endpoints: notesApi,
 *   controllers: [NotesController],
 * }) {}
 * ```
 */
export function authFeature<Options = never>(
  name: string,
  definition: FeatureDefinition,
): FeatureModule<Options> {
  const { needs = {}, owned } = definition;
  const { optionsToken } = definition;
  const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder(
    optionsToken && { optionsInjectionToken: optionsToken },
  )
    .setClassMethodName('forRoot')
    .setExtras({}, (module) => (optionsToken === undefined ? module : shared(module, optionsToken)))
    .build();
  const controllers = [...(definition.controllers ?? []), ...(owned?.controllers ?? [])];
  const api: Api = { ...definition.endpoints, ...owned?.api };

  class Feature extends ConfigurableModuleClass implements OnModuleInit, OnApplicationBootstrap {
    constructor(
      @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
      private readonly users: ActiveUserStore,
      private readonly provider: ActiveProvider,
      private readonly ports: Ports,
    ) {
      super();
    }

    static override forRoot(options: object = {}): DynamicModule {
      return super.forRoot(options);
    }

    onModuleInit(): void {
      if (!this.core.enabled) {
        return;
      }
      if (!needs.many) {
        this.ports.requireOneImport(
          this.constructor as Type,
          (other) => Reflect.getMetadata(FEATURE, other) === name,
        );
      }
      if (needs.store !== undefined) {
        this.users.require(name, ...needs.store);
      }
      requireHandlers(name, api, controllers);
    }

    onApplicationBootstrap(): void {
      if (this.core.enabled && needs.proof && this.provider.get().keepsProof !== true) {
        throw new IllegalStateException(
          `${name} cannot be used with ${this.provider.get().extensionName}: its tokens do not record how the ` +
            'user logged in. Use an implementation that keeps the proof (keepsProof), such as kit-auth-jwt or kit-auth-session.',
        );
      }
    }
  }

  const contributions = [
    [AUTH_CREDENTIAL, definition.credentials ?? []],
    [LOGIN_STEP, definition.steps ?? []],
    [AUTH_FACTOR, definition.factors ?? []],
    [AUTH_EVENT_SINK, [...(definition.sinks ?? []), ...(owned?.sinks ?? [])]],
    [AUTH_COMMAND, [...(definition.commands ?? []), ...(owned?.commands ?? [])]],
  ] as const;
  const exported = (definition.imports ?? []).flatMap(exportsOf);
  const { additions, login, options, reasons } = definition;
  const described: PackageEndpoints = { name, endpoints: api, additions, login };
  const isDescribed = Object.keys(api).length > 0 || additions !== undefined || login !== undefined;
  Module({
    imports: definition.imports ?? [],
    controllers,
    providers: [
      ...(options === undefined ? [] : [options.provider(MODULE_OPTIONS_TOKEN)]),
      ...(definition.providers ?? []),
      ...(owned?.providers ?? []),
      ...contributions.flatMap(([port, tokens]) => providersFor(port, tokens, exported)),
      ...(isDescribed ? [{ provide: AUTH_OPERATIONS, useValue: described }] : []),
      ...(reasons === undefined ? [] : [declareReasons(reasons)]),
    ],
    exports: definition.exports ?? [],
  })(Feature);
  CommandHooks()(Feature);
  Reflect.defineMetadata(FEATURE, name, Feature);
  if (definition.isGlobal) {
    Global()(Feature);
  }
  return Feature as unknown as FeatureModule<Options>;
}

/** The providers that a class of a module exports. */
function exportsOf(module: unknown): unknown[] {
  return typeof module === 'function' ? ((Reflect.getMetadata('exports', module) ?? []) as unknown[]) : [];
}

/** On the class of a module: the name of its package. A symbol of all copies of this package. */
const FEATURE = Symbol.for('kit-auth.feature');

/** The argument of `forRoot()` in a global module. The class itself has none, so it cannot export it. */
function shared({ module, ...argument }: DynamicModule, token: symbol): DynamicModule {
  return { module, imports: [{ ...argument, module: SharedOptions, global: true, exports: [token] }] };
}

class SharedOptions {}

/** Classes, and their contribution to a port: a module contributes one list. */
function providersFor(
  port: symbol,
  tokens: readonly InjectionToken[],
  exported: readonly unknown[],
): Provider[] {
  const classes = tokens.filter(
    (token): token is Type => typeof token === 'function' && !exported.includes(token),
  );
  return tokens.length === 0
    ? []
    : [...classes, { provide: port, useFactory: (...all: unknown[]) => all.flat(), inject: [...tokens] }];
}

/** @throws IllegalStateException unless each endpoint has one handler, and each handler an endpoint */
function requireHandlers(name: string, api: Api, controllers: readonly Type<object>[]): void {
  const handled = controllers.flatMap((controller) =>
    methodsOf(controller)
      .filter(({ name: method }, i, all) => all.findIndex((it) => it.name === method) === i) // not overridden
      .flatMap(({ value, name: method }) => {
        const found = handledBy(controller, value);
        return found === undefined ? [] : [{ ...found, where: `${controller.name}.${method}` }];
      }),
  );
  const extended = handled.find(({ isAlone }) => !isAlone);
  if (extended !== undefined) {
    throw new IllegalStateException(
      `${name}: ${extended.where} has @Endpoint() and another decorator of a route, an answer or access. Declare it in ` +
        'endpoints() instead.',
    );
  }
  const declared = Object.keys(api) as EndpointKey[];
  const wrong =
    declared.find((key) => handled.filter((it) => it.key === key).length !== 1) ??
    handled.find(({ key }) => !declared.includes(key))?.key;
  if (wrong !== undefined) {
    throw new IllegalStateException(
      `${name}: exactly one method of its controllers must have @Endpoint(..., '${wrong}'), and the manifest must have the ` +
        'endpoint in `endpoints`.',
    );
  }
}
