import type { Type } from '@nestjs/common';
import type { StoredUser } from '../../contract/user-store.js';

/**
 * Injection token of commands of `npx kit-auth`. Any module may contribute one, or a list of them.
 *
 * @example
 * ```ts
 * @Module({
 *   providers: [
 *     KeysListCommand,
 *     KeysEndCommand,
 *     {
 *       provide: AUTH_COMMAND,
 *       useFactory: (...commands: AuthCommand[]) => commands,
 *       inject: [KeysListCommand, KeysEndCommand],
 *     },
 *   ],
 * })
 * export class KeysModule {}
 * ```
 */
export const AUTH_COMMAND = Symbol.for('kit-auth.command');

/**
 * A command of `npx kit-auth`. The command line loads the application to find it, and runs it there.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class KeysListCommand implements AuthCommand {
 *   readonly name = 'keys list';
 *   readonly usage = '<username>';
 *   readonly summary = 'Lists the API keys of a user.';
 *   readonly options = { json: { type: 'boolean', description: 'print JSON' } } as const;
 *
 *   constructor(private readonly keys: ApiKeys) {}
 *
 *   async run({ args: [username], options, output, user, fail }: AuthCommandContext): Promise<undefined> {
 *     if (username === undefined) {
 *       return fail('Name a user: kit-auth keys list <username>', 2);
 *     }
 *     const { id } = await user(username);
 *     const keys = await this.keys.listOf(id);
 *     if (options['json'] === true) {
 *       output.json(keys);
 *     } else {
 *       output.table(['ID', 'NAME'], keys.map(({ id, name }) => [id, name]));
 *     }
 *   }
 * }
 * ```
 */
export interface AuthCommand<Context = AuthCommandContext> {
  /** One word or two, such as `doctor` or `keys list`. */
  readonly name: string;
  /**
   * The arguments, such as `<username> [<id>]`. Empty if there are none. Options are added. The command line refuses more
   * arguments than this has brackets, unless the last one has three dots, such as `<role...>`.
   */
  readonly usage: string;
  /** One sentence. */
  readonly summary: string;
  /** Further paragraphs for `kit-auth help <command>`. */
  readonly details?: string;
  /** The options, by their names in kebab case. */
  readonly options?: Readonly<Record<string, AuthCommandOption>>;
  /** @returns the exit code; undefined is 0. A rejection is printed without its stack, and exits with 1. */
  run(context: Context): Promise<number | undefined>;
}

export interface AuthCommandOption {
  readonly type: 'boolean' | 'string';
  /** Whether the option can be given several times. Its value is then a list. */
  readonly multiple?: boolean;
  /** The placeholder of the value in the help, such as `file`. */
  readonly value?: string;
  readonly description: string;
}

/** The context of a running command. */
export interface AuthCommandContext {
  /** The arguments behind the name of the command. */
  readonly args: readonly string[];
  /** The options that were given, checked against those of the command. */
  readonly options: Readonly<Record<string, boolean | string | readonly string[] | undefined>>;
  readonly output: AuthCommandOutput;
  /** The account of a username. Ends the command when there is none. The user store needs `findByUsername`. */
  readonly user: (username: string) => Promise<StoredUser>;
  /** Ends the command with a message. @param exitCode 1, the default: it failed. 2: it was not used correctly. */
  readonly fail: (message: string, exitCode?: 1 | 2) => never;
}

/** Standard output. It must not contain passwords or tokens. */
export interface AuthCommandOutput {
  /** A line for people. Control characters become `?`. */
  line(text?: string): void;
  /** Aligned columns for people. */
  table(header: readonly string[], rows: readonly (readonly string[])[]): void;
  /** JSON, indented by two spaces. */
  json(value: unknown): void;
  /** A line to standard error, for anything that is not the result. */
  note(text: string): void;
}

const COMMAND_HOOKS = Symbol.for('kit-auth.command-hooks');

/**
 * Marks a module of a package whose providers take part in commands of `npx kit-auth`. There, the lifecycle hooks of
 * these providers run, but not those of the module class. From the application, only `onModuleInit()` of what they inject runs.
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

/** A day in the output of a command, such as `2026-11-26`. */
export function dayOf(time: Date | null): string {
  return time === null ? 'never' : time.toISOString().slice(0, 10);
}
