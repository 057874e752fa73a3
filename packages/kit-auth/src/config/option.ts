/** The values of an option, and how the environment spells them. */
export interface OptionRules<Value> {
  /**
   * Returns the rest of the error message, such as "must be a number". Never repeats it: it may be a secret.
   */
  check(value: unknown): string | undefined;
  /** Returns the rest of a warning about a valid but risky value, such as "is too long for production". */
  warn?(value: Value): string | undefined;
  /**
   * Parses an environment variable. Returns strings that it cannot parse unchanged, so that `check` refuses them.
   * Without this method, only code can set the option.
   */
  parse?(text: string): unknown;
  /** Whether the value, or each of a list, is a secret. `npx kit-auth doctor` reports secrets that are easy to guess. */
  isSecret?: boolean;
  /** A second spelling of the key of a list. If both are given, their lists are joined. */
  alias?: string;
}

interface Default<Value> {
  /** A function is called when the options are resolved. */
  default: Value | (() => Value);
}

/**
 * One option. `Value` is the type that the application may pass, and `Setting` the type that the code reads, which
 * includes `undefined` if there is no default. The static methods create the usual ones, such as `Option.integer()`.
 *
 * @example
 * const limiter = new Option<LimiterFactory, LimiterFactory | undefined>({
 *   check: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
 * });
 */
export class Option<Value, Setting = Value> {
  static readonly choice = choice;
  static readonly flag = flag;
  static readonly integer = integer;
  static readonly parseList = parseList;
  static readonly secrets = secrets;
  static readonly switchable = switchable;
  static readonly text = text;

  declare private readonly value: Value;
  /** Not the type of the parameter: with a conditional type here, TypeScript 5 cannot compare two options. */
  readonly rules: OptionRules<Value> & Partial<Default<Setting>>;

  constructor(
    rules: OptionRules<Value> & (undefined extends Setting ? Partial<Default<Setting>> : Default<Setting>),
  ) {
    this.rules = rules;
  }

  get default(): Setting {
    const value = this.rules.default as Default<Setting>['default'];
    return typeof value === 'function' ? (value as () => Setting)() : value;
  }
}

/** A group of options. `false` switches it off, `true` stands for its defaults. */
export class Switchable<S extends Shape = Shape> {
  constructor(
    readonly shape: S,
    /** Whether the group is on if it is not given. */
    readonly isOnByDefault: boolean,
  ) {}
}

/** Options by key. A plain object is a group. */
export interface Shape {
  readonly [key: string]: Option<unknown, unknown> | Switchable | Shape;
}

/** The type of the options that an application gives. Keeps the doc comments of the shape. */
export type OptionsIn<S> = {
  -readonly [K in keyof S]?:
    | (S[K] extends Option<infer Value, unknown>
        ? Value
        : S[K] extends Switchable<infer Group>
          ? boolean | OptionsIn<Group>
          : OptionsIn<S[K]>)
    | undefined;
};

/** The type of the settings that the code reads. Keeps the doc comments of the shape. */
export type SettingsIn<S> = {
  readonly [K in keyof S]: S[K] extends Option<unknown, infer Setting>
    ? Setting
    : S[K] extends Switchable<infer Group>
      ? false | SettingsIn<Group>
      : SettingsIn<S[K]>;
};

/** Parses a list in the environment, whose items are separated by commas. Leaves out empty ones. */
export function parseList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function flag(rules: Default<boolean>): Option<boolean> {
  return new Option({
    ...rules,
    check: booleanProblem,
    parse: parseBoolean,
  });
}

/** A check. */
export function booleanProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be the boolean true or false';
}

interface Bounds {
  min: number;
  max: number;
}

/** A whole number within bounds. */
export function integer(rules: Bounds & Default<number>): Option<number>;
export function integer(rules: Bounds): Option<number, number | undefined>;
export function integer({ min, max, ...rest }: Bounds): Option<number, number | undefined> {
  return new Option({
    ...rest,
    check: (value) =>
      isInteger(value, min, max) ? undefined : `must be a whole number from ${min} to ${max}`,
    parse: parseInteger,
  });
}

interface TextRules {
  /** Returns the rest of the error message for a string that is not blank. */
  check?: (value: string) => string | undefined;
  isSecret?: boolean;
}

/** A string that is not blank. */
export function text(rules: TextRules & Default<string>): Option<string>;
export function text(rules: TextRules): Option<string, string | undefined>;
export function text({ check, ...rest }: TextRules): Option<string, string | undefined> {
  return new Option({
    ...rest,
    check: (value) => (isFilledText(value) ? check?.(value) : 'must be a non-blank string'),
    parse: (value) => value,
  });
}

const MIN_SECRET_BYTES = 32;

/** Secrets, each at least 32 bytes of UTF-8. In the environment, commas separate them. */
export function secrets(): Option<readonly string[]> {
  return new Option<readonly string[]>({
    default: [],
    check: secretsProblem,
    parse: parseList,
    isSecret: true,
  });
}

function secretsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) {
    return 'must be a list of strings';
  }
  const texts = value as readonly unknown[];
  const other = texts.findIndex((text) => typeof text !== 'string');
  if (other !== -1) {
    const what = texts[other] === undefined ? 'undefined' : 'not a string';
    return `must be a list of strings: number ${other + 1} is ${what}`;
  }
  const short = texts.findIndex((text) => !isLongEnough(text as string));
  if (short !== -1) {
    return `must have at least ${MIN_SECRET_BYTES} bytes of UTF-8 in each string: number ${short + 1} does not`;
  }
  return new Set(texts).size === texts.length ? undefined : 'must not contain a secret twice';
}

function isLongEnough(text: string): boolean {
  return Buffer.byteLength(text) >= MIN_SECRET_BYTES && text.isWellFormed();
}

/** One of several strings. */
export function choice<const Value extends string>(
  values: readonly Value[],
  rules: Default<NoInfer<Value>>,
): Option<Value> {
  return new Option<Value>({
    ...rules,
    check: (value) =>
      (values as readonly unknown[]).includes(value)
        ? undefined
        : `must be ${values.map((value) => `'${value}'`).join(' or ')}`,
    parse: (value) => value,
  });
}

/** A group that `false` switches off. Default: on. With `{ default: false }`, `true` or one of its options switches it on. */
export function switchable<S extends Shape>(
  shape: S,
  rules: { default: boolean } = { default: true },
): Switchable<S> {
  return new Switchable(shape, rules.default);
}

export function isInteger(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Whether a value is a string that is not blank and has no lone surrogates. */
export function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.isWellFormed();
}

export function parseBoolean(value: string): boolean | string {
  return value === 'true' ? true : value === 'false' ? false : value;
}

export function parseInteger(value: string): number | string {
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}
