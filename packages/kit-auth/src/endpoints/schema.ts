import { badRequest } from '../errors/auth.exception.js';
import { deviceNameFrom, isDisplayName } from '../users/display-name.js';
import { missingTexts } from './json-body.js';

/** A JSON schema, as in OpenAPI documents. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Traits of the application that JSON schemas depend on. */
export interface DescribedApplication {
  /** The schema of the ids of the user store. */
  readonly userId: JsonSchema;
  /** The schema of the user in answers. */
  readonly user: JsonSchema;
  /** Tokens of browsers travel in cookies, and logins may be remembered. */
  readonly cookies: boolean;
}

/**
 * A value in a body, a query or an answer: its JSON schema and its reader. `Server` is the type in handlers, `Wire` the type in
 * clients. Answers are not read.
 */
export interface Schema<Server = unknown, Wire = Server> {
  /** A function if it depends on the application. Undefined if the application does not have the member. */
  readonly json: JsonSchema | ((application: DescribedApplication) => JsonSchema | undefined);
  /** Returns the value to use. @throws AuthException 40000 that names the member */
  readonly read: (value: unknown, name: string) => Server;
  /** A refusal of the body names all strings of this kind. */
  readonly isText?: true;
  readonly isOptional?: boolean;
  /** Whether OpenAPI documents of an application require an optional member. */
  readonly isRequired?: (application: DescribedApplication) => boolean;
  /** Never set: it holds the type. */
  readonly wire?: Wire;
}

/** A member that may be absent. */
export interface OptionalSchema<Server, Wire = Server> extends Schema<Server, Wire> {
  readonly isOptional: true;
}

/** The members of an object. */
export type Shape = Readonly<Record<string, Schema>>;

type Simple<T> = { [K in keyof T]: T[K] } & {};
/** The type of a schema in handlers. */
export type ServerIn<S> = S extends Schema<infer Server, unknown> ? Server : never;
/** The type of a schema in clients. */
export type WireIn<S> = S extends Schema<unknown, infer Wire> ? Wire : never;

/** The type of an object in handlers. Keeps the doc comments of the shape. */
export type ServerOf<S extends Shape> = Simple<
  { readonly [K in keyof S as S[K] extends OptionalSchema<unknown> ? never : K]: ServerIn<S[K]> } & {
    readonly [K in keyof S as S[K] extends OptionalSchema<unknown> ? K : never]?: ServerIn<S[K]> | undefined;
  }
>;
/** The type of an object in clients. */
export type WireOf<S extends Shape> = Simple<
  { [K in keyof S as S[K] extends OptionalSchema<unknown> ? never : K]: WireIn<S[K]> } & {
    [K in keyof S as S[K] extends OptionalSchema<unknown> ? K : never]?: WireIn<S[K]> | undefined;
  }
>;

/** Longer than any valid name or password, but cheap to compare. */
const MAX_LENGTH = 1024;

/** Whether a value is a well-formed string of at most 1,024 characters that is not blank. */
export function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH && value.isWellFormed()
  );
}

/**
 * A value with a schema and a reader of your own.
 *
 * @param read throws 40000 for a wrong value. Default: returns the value unchecked, for answers and for handlers that check it
 */
export function value<Server, Wire = Server>(
  json: Schema['json'],
  read: (value: unknown, name: string) => Server = (given) => given as Server,
): Schema<Server, Wire> {
  return { json, read };
}

/**
 * A value that a function parses.
 *
 * @param must completes the message of the refusal, `"days" must ...`
 * @param parse returns undefined for a wrong value
 * @example
 * const COLOR = parsed<Color>({ type: 'string' }, 'be a color such as #0af', parseColor);
 */
export function parsed<Server, Wire = Server>(
  json: Schema['json'],
  must: string,
  parse: (value: unknown) => Server | undefined,
): Schema<Server, Wire> {
  return value<Server, Wire>(json, (given, name) => {
    const result = parse(given);
    if (result === undefined) {
      throw badRequest(`"${name}" must ${must}`);
    }
    return result;
  });
}

/** A string of at most 1,024 characters that is not blank. @param more members of its JSON schema */
export function text(more: JsonSchema = {}): Schema<string> {
  const read = (given: unknown, name: string) => {
    if (!isText(given)) {
      throw missingTexts([name]);
    }
    return given;
  };
  return { ...value<string>({ type: 'string', ...more }, read), isText: true };
}

/** One of several strings. */
export function choice<const T extends string>(...names: readonly T[]): Schema<T> {
  const must = `be ${names.map((name) => JSON.stringify(name)).join(' or ')}`;
  const find = (given: unknown) => names.find((name) => name === given);
  return { ...parsed<T>({ type: 'string', enum: names }, must, find), isText: true };
}

export const TEXT = text();
export const PASSWORD = text({ format: 'password' });
export const EMAIL = text({ format: 'email', maxLength: 254 });
export const INTEGER = parsed<number>({ type: 'integer' }, 'be a whole number', (it) =>
  Number.isSafeInteger(it) ? (it as number) : undefined,
);
export const BOOLEAN = parsed<boolean>({ type: 'boolean' }, 'be true or false', (it) =>
  typeof it === 'boolean' ? it : undefined,
);
/** A time in answers: a `Date` in handlers, a string of ISO 8601 in clients. */
export const TIME = value<Date, string>({ type: 'string', format: 'date-time' }, refuseToRead);
/** A name that users give to something of theirs. */
export const NAME = parsed<string>(
  { type: 'string', minLength: 1, maxLength: 64 },
  'have 1 to 64 characters, without control characters, and without spaces at its beginning and end',
  (it) => (isDisplayName(it, 64) ? it : undefined),
);
/** The name of a device of a user. Spaces at either end are cut off. */
export const DEVICE_NAME = value<string>(NAME.json, deviceNameFrom);
/** A flag of a query, such as `?endOthers=true`. Empty is absent. */
export const FLAG: OptionalSchema<boolean | undefined, boolean> = {
  ...value<boolean | undefined, boolean>({ type: 'boolean' }, (given, name) => {
    if (given !== '' && given !== 'true' && given !== 'false') {
      throw badRequest(`${name} must be true or false`);
    }
    return given === '' ? undefined : given === 'true';
  }),
  isOptional: true,
};
/** Remembers the login. The token transport reads it from the request. Documents have it only where tokens travel in cookies. */
export const REMEMBER: OptionalSchema<unknown, boolean> = {
  ...value<unknown, boolean>(({ cookies }) => (cookies ? { type: 'boolean' } : undefined)),
  isOptional: true,
};

/** A list in answers. Parse lists in bodies with `parsed()`. */
export function list<S, W>(items: Schema<S, W>, more: JsonSchema = {}): Schema<readonly S[], readonly W[]> {
  return value<readonly S[], readonly W[]>(
    (application) => ({ type: 'array', items: jsonOf(items, application), ...more }),
    refuseToRead,
  );
}

/** An object in answers. Parse objects in bodies with `parsed()`. */
export function object<S extends Shape>(shape: S, more: JsonSchema = {}): Schema<ServerOf<S>, WireOf<S>> {
  return value<ServerOf<S>, WireOf<S>>(
    (application) => ({ ...objectJson(shape, application), ...more }),
    refuseToRead,
  );
}

/** Handlers would get any value of a body, with the type of the schema. @throws TypeError */
function refuseToRead(_given: unknown, name: string): never {
  throw new TypeError(
    `"${name}" has a schema for answers, which cannot check a body or a query. Use parsed().`,
  );
}

/** The same value, or null. */
export function orNull<S, W>(schema: Schema<S, W>): Schema<S | null, W | null> {
  const json: Schema['json'] = (application) => {
    const given = jsonOf(schema, application);
    return given && { ...given, nullable: true };
  };
  return value<S | null, W | null>(json, (given, name) => (given === null ? null : schema.read(given, name)));
}

/** A member that may be absent. `null` is not absent. */
export function optional<S, W>(schema: Schema<S, W>): OptionalSchema<S, W> {
  return { ...schema, isOptional: true };
}

/** The same value with a description in OpenAPI documents. */
export function described<S extends Schema>(schema: S, description: string): S {
  return {
    ...schema,
    json: (application: DescribedApplication) => {
      const given = jsonOf(schema, application);
      return given && { ...given, description };
    },
  };
}

/** The JSON schema of a value. */
export function jsonOf({ json }: Schema, application: DescribedApplication): JsonSchema | undefined {
  return typeof json === 'function' ? json(application) : json;
}

/** The JSON schema of an object. */
export function objectJson(shape: Shape, application: DescribedApplication): JsonSchema {
  const members = Object.entries(shape).flatMap(([name, schema]) => {
    const json = jsonOf(schema, application);
    const isOptional = schema.isOptional === true && schema.isRequired?.(application) !== true;
    return json === undefined ? [] : [{ name, json, isOptional }];
  });
  const properties = Object.fromEntries(members.map(({ name, json }) => [name, json]));
  const required = members.filter((it) => !it.isOptional).map(({ name }) => name);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}
