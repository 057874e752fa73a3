import type { ModulesContainer } from '@nestjs/core';
import { hasCommandHooks } from 'kit-auth/cli';

const START = ['onModuleInit', 'onApplicationBootstrap'] as const;
const END = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;
/** Modules of libraries that hold connections, which they close in `onApplicationShutdown()`. */
const CONNECTIONS = new Set(['TypeOrmCoreModule', 'MongooseCoreModule', 'SequelizeCoreModule']);

type Hook = (typeof START)[number] | (typeof END)[number];
type Module = ModulesContainer extends Map<string, infer M> ? M : never;
type Wrapper = Module['providers'] extends Map<unknown, infer W> ? W : never;
type OnProblem = (error: unknown) => void;

/**
 * The lifecycle hooks of kit-auth in an application that is not initialized: those of the providers of modules with
 * `@CommandHooks()`, and those of what the application provides under a token of kit-auth. Schedulers, consumers and
 * anything else that the application starts in its hooks do not start.
 */
export class OwnHooks {
  private readonly instances: readonly object[];
  private readonly connections: readonly object[];
  private hasBegun = 0;

  constructor(modules: ModulesContainer) {
    // Like Nest: modules that are imported most deeply come first.
    const sorted = [...modules.values()].sort((a, b) => b.distance - a.distance);
    this.instances = [...new Set(sorted.flatMap(instancesOf))];
    this.connections = sorted
      .filter(({ metatype }) => CONNECTIONS.has(metatype.name))
      .map(({ instance }) => instance as object);
  }

  /** Resumes where the last call ended. @param onProblem called for each hook that rejects. Default: `start()` rejects */
  async start(until: 'init' | 'bootstrap', onProblem?: OnProblem): Promise<void> {
    const end = until === 'init' ? 1 : 2;
    while (this.hasBegun < end) {
      await this.run(START[this.hasBegun++] as Hook, this.instances, onProblem);
    }
  }

  /** Runs the hooks that end kit-auth, and closes the connections of TypeORM. Never rejects. */
  async end(): Promise<void> {
    const reversed = [...this.instances].reverse();
    const ignore = () => undefined;
    for (const hook of END.slice(this.hasBegun > 0 ? 0 : END.length)) {
      await this.run(hook, reversed, ignore);
    }
    await this.run('onApplicationShutdown', this.connections, ignore);
  }

  private async run(hook: Hook, instances: readonly object[], onProblem?: OnProblem): Promise<void> {
    for (const instance of instances) {
      const method: unknown = Reflect.get(instance, hook);
      if (typeof method !== 'function') {
        continue;
      }
      try {
        await Reflect.apply(method, instance, []);
      } catch (error) {
        if (onProblem === undefined) {
          throw error;
        }
        onProblem(error);
      }
    }
  }
}

function instancesOf({ metatype, providers }: Module): object[] {
  const isOurs = hasCommandHooks(metatype);
  return [...providers]
    .filter(([token, wrapper]) => wrapper.metatype !== metatype && (isOurs || isPort(token)))
    .map(([, wrapper]) => instanceOf(wrapper))
    .filter((instance) => instance !== undefined);
}

/** Undefined for request-scoped instances and for values other than objects. */
function instanceOf(wrapper: Wrapper): object | undefined {
  const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
  return typeof instance === 'object' && instance !== null ? instance : undefined;
}

/** Whether an injection token belongs to a port of kit-auth, such as `AUTH_USER_STORE`. */
function isPort(token: unknown): boolean {
  return typeof token === 'symbol' && (Symbol.keyFor(token)?.startsWith('kit-auth.') ?? false);
}
