import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { nearest } from './nearest.js';
import { Option, type OptionsIn, type SettingsIn, type Shape, Switchable } from './option.js';

/** Options carry warnings about their source under this key. A symbol, so that copies of the options keep them. */
export const WARNINGS = Symbol.for('kit-auth.warnings');

const ROOT = 'kit.auth';
const ROOT_TOKEN = tokenOf(ROOT);

type Tree = Record<string | symbol, unknown>;
type AnyOption = Option<unknown, unknown>;

/** Checks that concern several options. Each string is a sentence that begins with a key of the definition. */
interface Rules<S> {
  problems?: (options: OptionsIn<S>) => readonly string[];
  warnings?: (options: OptionsIn<S>) => readonly string[];
}

/** The options of a definition, as an application gives them. */
export type OptionsOf<D> = D extends OptionsDefinition<infer S> ? OptionsIn<S> : never;
/** The settings of a definition, as the code reads them: checked, frozen, with their defaults. */
export type SettingsOf<D> = D extends OptionsDefinition<infer S> ? SettingsIn<S> : never;

/**
 * The settings of one definition. `KitAuthModule` fails start-up with the problems of all definitions in the
 * application, and logs their warnings.
 */
export class ResolvedOptions<Settings> {
  constructor(
    /** The defaults if there are problems. */
    readonly settings: Settings,
    /** Each problem contains the full key, but no value. */
    readonly problems: readonly string[],
    readonly warnings: readonly string[],
    /** The options that the application passed, unchecked. */
    readonly given: Readonly<Record<string, unknown>>,
  ) {}
}

/** An option, or a group that can be switched off. */
export interface OptionRow {
  /** The full key: `kit.auth.jwt.secret`. */
  readonly key: string;
  /** The environment variable of this key. */
  readonly variable: string;
  /** False if only code can set the option. */
  readonly isInEnvironment: boolean;
  readonly node: AnyOption | Switchable;
}

const definitions = new Map<string, OptionsDefinition<Shape>>();

/** All definitions of the packages that the application has loaded. */
export function allDefinitions(): OptionsDefinition<Shape>[] {
  return [...definitions.values()];
}

/**
 * Defines options: their types, checks, defaults and environment variables. A package adds a group to the options of
 * `KitAuthModule`, and may take the same options in its own `forRoot()`, which override the group key by key.
 *
 * Describe each option in a doc comment with `@default`. Editors show the comment, and the tables of the documentation
 * are generated from it.
 *
 * @example
 * export const refreshOptions = defineOptions('kit.auth.refresh', {
 *   expireDays: integer({ min: 1, max: 365, default: 30 }), // KIT_AUTH_REFRESH_EXPIRE_DAYS
 * });
 * export type RefreshSettings = SettingsOf<typeof refreshOptions>;
 *
 * declare module 'kit-auth' {
 *   interface KitAuthOptions {
 *     refresh?: OptionsOf<typeof refreshOptions> | undefined;
 *   }
 * }
 *
 * @Injectable()
 * class RefreshTokens {
 *   constructor(@Inject(refreshOptions.token) private readonly options: ResolvedOptions<RefreshSettings>) {}
 * }
 *
 * @Module({ providers: [refreshOptions.provider(), RefreshTokens] })
 * export class KitAuthRefreshModule {}
 */
export function defineOptions<S extends Shape>(
  name: 'kit.auth' | `kit.auth.${string}`,
  shape: S,
  rules: Rules<S> = {},
): OptionsDefinition<S> {
  if (definitions.has(name)) {
    throw new Error(`The options ${name} are defined twice.`);
  }
  const definition = new OptionsDefinition(name, shape, rules);
  definitions.set(name, definition as unknown as OptionsDefinition<Shape>);
  return definition;
}

/** Created by `defineOptions`. */
export class OptionsDefinition<S extends Shape> {
  /** Injection token of the {@link ResolvedOptions}. */
  readonly token: symbol;

  /** @internal */
  constructor(
    readonly name: string,
    readonly shape: S,
    private readonly rules: Rules<S>,
  ) {
    this.token = tokenOf(name);
  }

  /** The key of the group in the options of `KitAuthModule`; undefined for those options themselves. */
  get group(): string | undefined {
    return this.name === ROOT ? undefined : this.name.slice(ROOT.length + 1);
  }

  /** The options in the order of their definition. A switchable group comes before its options. */
  get rows(): OptionRow[] {
    return rowsOf(this.shape, this.name);
  }

  /**
   * Provides the {@link ResolvedOptions}.
   *
   * @param moduleOptions injection token of the options that the package's own module is given
   */
  provider(moduleOptions?: InjectionToken): FactoryProvider {
    const { token, group } = this;
    const own = moduleOptions === undefined ? [] : [{ token: moduleOptions, optional: true }];
    return group === undefined
      ? { provide: token, useFactory: (options: unknown) => this.resolve(options), inject: own }
      : {
          provide: token,
          useFactory: (root: ResolvedOptions<unknown> | undefined, options: unknown) =>
            this.resolve(root?.given[group], options),
          inject: [{ token: ROOT_TOKEN, optional: true }, ...own],
        };
  }

  /** Checks options and completes them with their defaults. Later sources override earlier ones, key by key. */
  resolve(...sources: unknown[]): ResolvedOptions<SettingsIn<S>> {
    const binding = new Binding();
    const given = new Map(sources.flatMap((source) => binding.entries(source, this.name)));
    const settings = binding.bind(this.shape, given, this.name);
    const options = Object.fromEntries(given);
    const inFull = (sentences: readonly string[] = []) =>
      sentences.map((sentence) => `${this.name}.${sentence}`);
    const problems = [...binding.problems, ...inFull(this.rules.problems?.(options as OptionsIn<S>))];
    const carried = sources.flatMap((source) =>
      isTree(source) ? ((source[WARNINGS] as string[] | undefined) ?? []) : [],
    );
    const warnings = [
      ...carried,
      ...binding.warnings,
      ...inFull(this.rules.warnings?.(options as OptionsIn<S>)),
    ];
    const usable = problems.length === 0 ? settings : new Binding().bind(this.shape, new Map(), this.name);
    return new ResolvedOptions(usable as SettingsIn<S>, problems, warnings, options);
  }
}

/** Binds options to a shape and collects their problems. */
class Binding {
  readonly problems: string[] = [];
  readonly warnings: string[] = [];

  entries(value: unknown, path: string): [string, unknown][] {
    if (value !== undefined && !isTree(value)) {
      this.problems.push(`${path} must be an object`);
    }
    return isTree(value) ? Object.entries(value).filter(([, entry]) => entry !== undefined) : [];
  }

  bind(shape: Shape, given: Map<string, unknown>, path: string): object {
    const left = new Map(given);
    const take = (key: string) => {
      const value = left.get(key);
      left.delete(key);
      return value;
    };
    const settings = Object.entries(shape).map(([key, node]): [string, unknown] => {
      const value = take(key);
      if (!(node instanceof Option)) {
        return [key, this.bindGroup(node, value, `${path}.${key}`)];
      }
      const { alias } = node.rules;
      return alias === undefined
        ? [key, this.bindOption(node, value, `${path}.${key}`)]
        : [key, this.bindOption(node, joined(value, take(alias)), `${path}.${alias} (${key})`)];
    });
    const unknown = [...left.keys()].map((key) => `${path}.${key}`).filter((key) => !definitions.has(key));
    this.warnings.push(...unknown.map((key) => `${key} is not an option and is ignored${didYouMean(key)}`));
    return Object.freeze(Object.fromEntries(settings));
  }

  private bindGroup(node: Switchable | Shape, value: unknown, path: string): unknown {
    if (!(node instanceof Switchable)) {
      return this.bind(node, new Map(this.entries(value, path)), path);
    }
    if (value === false || (value === undefined && !node.isOnByDefault)) {
      return false;
    }
    if (value !== undefined && value !== true && !isTree(value)) {
      this.problems.push(`${path} must be an object or the boolean true or false`);
    }
    return this.bind(node.shape, new Map(isTree(value) ? this.entries(value, path) : []), path);
  }

  private bindOption(option: AnyOption, value: unknown, name: string): unknown {
    const problem = value === undefined ? undefined : option.rules.check(value);
    const isUsed = value !== undefined && problem === undefined;
    const warning = isUsed ? option.rules.warn?.(value) : undefined;
    this.problems.push(...sentence(name, problem));
    this.warnings.push(...sentence(name, warning));
    const setting = isUsed ? value : option.default;
    return Array.isArray(setting) ? Object.freeze([...(setting as unknown[])]) : setting;
  }
}

function sentence(name: string, rest: string | undefined): string[] {
  return rest === undefined ? [] : [`${name} ${rest}`];
}

/** Merges a list with its alias. Other values pass through and fail the check. */
function joined(...values: unknown[]): unknown {
  const given = values.filter((value) => value !== undefined);
  return given.length > 1 && given.every(Array.isArray)
    ? given.flat()
    : (given.find((value) => !Array.isArray(value)) ?? given[0]);
}

function didYouMean(key: string): string {
  const rows = allDefinitions()
    .flatMap(({ rows }) => rows)
    .filter((row) => !key.startsWith(`${row.key}.`));
  const variable = nearest(
    variableOf(key),
    rows.map((row) => row.variable),
  );
  const meant = rows.find((row) => row.variable === variable);
  return meant === undefined ? '' : `; did you mean ${meant.key}?`;
}

function tokenOf(name: string): symbol {
  return Symbol.for(`${name} (options)`);
}

/** The environment variable of a key: `KIT_AUTH_JWT_SECRET` for `kit.auth.jwt.secret`. */
export function variableOf(key: string): string {
  return key.replaceAll(/[.-]/g, '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

function rowsOf(shape: Shape, path: string): OptionRow[] {
  return Object.entries(shape).flatMap(([name, node]) => {
    const key = `${path}.${name}`;
    const row = { key, variable: variableOf(key), isInEnvironment: true };
    if (node instanceof Option) {
      return [{ ...row, node, isInEnvironment: node.rules.parse !== undefined }];
    }
    return node instanceof Switchable ? [{ ...row, node }, ...rowsOf(node.shape, key)] : rowsOf(node, key);
  });
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
