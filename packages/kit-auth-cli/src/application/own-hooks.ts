import type { ModulesContainer } from '@nestjs/core';
import { AUTH_COMMAND } from 'kit-auth';
import { hasCommandHooks } from 'kit-auth/cli';
import { withinDeadline } from 'kit-auth/tools';
import { CliError } from '../cli.error.js';
import { reasonOf } from '../reason.js';

const START = ['onModuleInit', 'onApplicationBootstrap'] as const;
const END = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;
/** Modules of libraries that hold connections, which they close in `onApplicationShutdown()`. */
const CONNECTIONS = new Set(['TypeOrmCoreModule', 'MongooseCoreModule', 'SequelizeCoreModule']);
const PREPARATION_MS = 30_000;

type Hook = (typeof START)[number] | (typeof END)[number];
type Module = ModulesContainer extends Map<string, infer M> ? M : never;
type Wrapper = Module['providers'] extends Map<unknown, infer W> ? W : never;
type OnProblem = (error: unknown) => void;

/** An instance whose hooks may run. */
interface Instance {
  readonly instance: object;
  /** `dependency`: a class of the application that one of the others injects. */
  readonly kind: 'kit-auth' | 'port' | 'dependency';
  /** The dependencies of a port that have `onModuleInit()`. */
  readonly needs: readonly object[];
}

/**
 * The lifecycle hooks of kit-auth in an application that is not initialized: hooks of the providers of modules with
 * `@CommandHooks()`, and of providers of the application under a token of kit-auth. Their dependencies, for example the
 * pool of a user store, are prepared with `onModuleInit()`. Schedulers and consumers of the application do not start.
 */
export class OwnHooks {
  /** Sorted: dependencies come first. */
  private readonly instances: readonly Instance[];
  private readonly connections: readonly object[];
  private readonly begun = new Set<object>();
  private readonly initialized = new Set<object>();
  private isBootstrapped = false;

  constructor(modules: ModulesContainer) {
    // The order of Nest: the most deeply imported modules come first.
    const sorted = [...modules.values()].sort((a, b) => b.distance - a.distance);
    this.instances = instancesOf(sorted);
    this.connections = sorted
      .filter(({ metatype }) => CONNECTIONS.has(metatype.name))
      .map(({ instance }) => instance as object);
  }

  /**
   * Resumes where the last call ended, and repeats hooks that rejected.
   *
   * @param until `init` runs no hook of a dependency, nor of a port that needs one
   * @param onProblem called for each hook that rejects. Default: `start()` rejects
   */
  async start(until: 'init' | 'bootstrap', onProblem?: OnProblem): Promise<void> {
    const isInit = until === 'init';
    const wanted = this.instances.filter(
      ({ kind, needs }) => !isInit || (kind !== 'dependency' && needs.length === 0),
    );
    for (const one of wanted.filter(({ instance }) => !this.initialized.has(instance))) {
      this.begun.add(one.instance);
      await guarded(async () => {
        await initialize(one);
        this.initialized.add(one.instance);
      }, onProblem);
    }
    if (!isInit && !this.isBootstrapped) {
      this.isBootstrapped = true;
      const own = this.instances.filter(({ kind }) => kind !== 'dependency');
      for (const { instance } of own) {
        await guarded(() => call(instance, 'onApplicationBootstrap'), onProblem);
      }
    }
  }

  /** Hooks of injected dependencies that have not run, for example `Database.onModuleInit()`. */
  left(): string[] {
    return this.instances
      .filter(({ instance, kind }) => kind === 'dependency' && !this.initialized.has(instance))
      .flatMap(({ instance }) =>
        START.filter((hook) => hasHook(instance, hook)).map((hook) => nameOf(instance, hook)),
      );
  }

  /** Runs the hooks that end what has begun, and closes the connections of TypeORM. Never rejects. */
  async end(): Promise<void> {
    const reversed = this.instances.map(({ instance }) => instance).filter((one) => this.begun.has(one));
    reversed.reverse();
    const ignore = () => undefined;
    for (const hook of END) {
      for (const instance of reversed) {
        await guarded(() => call(instance, hook), ignore);
      }
    }
    for (const connection of this.connections) {
      await guarded(() => call(connection, 'onApplicationShutdown'), ignore);
    }
  }
}

/** Explains a failure by hooks that have not run. */
export function withoutHooks(who: string, left: readonly string[]): string {
  return (
    `${who} does not run ${left.join(', ')}, which may be the reason. It can use what is created in a constructor ` +
    'or a factory.'
  );
}

async function guarded(run: () => Promise<void>, onProblem?: OnProblem): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (onProblem === undefined) {
      throw error;
    }
    onProblem(error);
  }
}

/** @throws CliError that names a class of the application */
async function initialize({ instance, kind }: Instance): Promise<void> {
  const initialized = call(instance, 'onModuleInit');
  if (kind !== 'dependency') {
    return initialized;
  }
  const name = nameOf(instance, 'onModuleInit');
  try {
    await withinDeadline(PREPARATION_MS, initialized, name);
  } catch (error) {
    throw new CliError(`${name} failed: ${reasonOf(error)}`, 1, { cause: error });
  }
}

async function call(instance: object, hook: Hook): Promise<void> {
  if (hasHook(instance, hook)) {
    await Reflect.apply(Reflect.get(instance, hook) as () => unknown, instance, []);
  }
}

function hasHook(instance: object, hook: Hook): boolean {
  return typeof Reflect.get(instance, hook) === 'function';
}

function nameOf(instance: object, hook: Hook): string {
  return `${instance.constructor.name}.${hook}()`;
}

/** The instances of kit-auth and of ports in the order of modules, after their dependencies. */
function instancesOf(modules: readonly Module[]): Instance[] {
  const wrappers = modules.flatMap(ownWrappersOf);
  const kinds = new Map<object, Instance['kind']>();
  for (const { instance, kind } of wrappers) {
    kinds.set(instance, kinds.get(instance) === 'kit-auth' ? 'kit-auth' : kind);
  }
  const isForeign = (instance: object) => !kinds.has(instance);
  const ordered = new Map<object, Instance>();
  const seen = new Set<Wrapper>();
  for (const { wrapper, instance } of wrappers) {
    // A command may inject anything. It is asked for its name by other commands.
    const injected = wrapper.token === AUTH_COMMAND ? [] : injectedBy(wrapper, () => true, seen);
    for (const one of injected.filter(isForeign)) {
      ordered.set(one, { instance: one, kind: 'dependency', needs: [] });
    }
    const kind = kinds.get(instance) as Instance['kind'];
    const needs =
      kind === 'port' ? injectedBy(wrapper, (one) => kinds.get(one) !== 'kit-auth').filter(isForeign) : [];
    if (!ordered.has(instance)) {
      ordered.set(instance, { instance, kind, needs: needs.filter((one) => hasHook(one, 'onModuleInit')) });
    }
  }
  return [...ordered.values()];
}

interface OwnWrapper extends Pick<Instance, 'instance' | 'kind'> {
  readonly wrapper: Wrapper;
}

function ownWrappersOf({ metatype, providers }: Module): OwnWrapper[] {
  const isOurs = hasCommandHooks(metatype);
  return [...providers].flatMap(([token, wrapper]) => {
    const instance = instanceOf(wrapper);
    return instance !== undefined && wrapper.metatype !== metatype && (isOurs || isPort(token))
      ? [{ wrapper, instance, kind: isOurs && !isPort(token) ? 'kit-auth' : 'port' }]
      : [];
  });
}

/** The direct and indirect dependencies of a provider, in the order in which they need each other. */
function injectedBy(
  wrapper: Wrapper,
  isWanted: (instance: object) => boolean,
  seen = new Set<Wrapper>(),
): object[] {
  const parameters = wrapper.getCtorMetadata() as Wrapper[] | undefined;
  const properties = wrapper.getPropertiesMetadata() as { wrapper: Wrapper }[] | undefined;
  const injected = [...(parameters ?? []), ...(properties ?? []).map((one) => one.wrapper)];
  return injected.flatMap((one: Wrapper | undefined) => {
    const instance = one && instanceOf(one);
    if (one === undefined || seen.has(one) || (instance !== undefined && !isWanted(instance))) {
      return [];
    }
    seen.add(one);
    return [...injectedBy(one, isWanted, seen), ...(instance === undefined ? [] : [instance])];
  });
}

/** Undefined for request-scoped instances and for values other than objects. */
function instanceOf(wrapper: Wrapper): object | undefined {
  const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
  return typeof instance === 'object' && instance !== null ? instance : undefined;
}

/** Tokens of ports are registered symbols, for example `AUTH_USER_STORE`. */
function isPort(token: unknown): boolean {
  return typeof token === 'symbol' && (Symbol.keyFor(token)?.startsWith('kit-auth.') ?? false);
}
