import type { PackageEndpoints } from '../endpoints/operations.js';
import type { JsonSchema } from '../endpoints/schema.js';
import { objectOf, type Operation, tablesOf, TEXT } from './operations.js';

interface ObjectSchema {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
}

/** An operation of an OpenAPI document, with the additions of all packages. */
export type JoinedOperation = Operation & { readonly tag: string; readonly accepts: boolean };

/**
 * Joins the endpoints of all packages.
 *
 * @param idType of the user store
 * @param cookies whether tokens travel in cookies
 * @returns a function that finds an operation by its key, such as `POST login`
 */
export function joinedTables(
  packages: readonly PackageEndpoints[],
  idType: 'number' | 'string',
  cookies: boolean,
): (key: string) => JoinedOperation | undefined {
  const userId = { type: idType === 'string' ? 'string' : 'integer' };
  const user = objectOf({ userId, username: TEXT, nickname: TEXT, superAdmin: { type: 'boolean' } });
  const application = { userId, user, cookies };
  const tables = packages.map((it) => tablesOf(it, application));
  const login = joined(
    objectOf({ token: TEXT, user }, cookies ? ['token'] : []),
    ...tables.map((table) => table.login),
  );
  return (key) => {
    const table = tables.find(({ operations }) => operations[key] !== undefined);
    const operation = table?.operations[key];
    if (table === undefined || operation === undefined) {
      return undefined;
    }
    const additions = tables.flatMap((table) => table.additions?.[key] ?? []);
    return {
      ...operation,
      tag: table.tag,
      ...answerOf([operation, ...additions]),
      ...(operation.login && { answer: joined(login, operation.answer) }),
      accepts: additions.some(({ accepts }) => accepts === true),
      ...bodyOf([operation, ...additions]),
      errors: [operation, ...additions].flatMap(({ errors = [] }) => errors),
    };
  };
}

/** An object with the properties of all. */
function joined(...schemas: readonly (JsonSchema | undefined)[]): JsonSchema {
  const all = schemas.map(partsOf);
  const required = all.flatMap((schema) => schema.required);
  const properties = Object.assign(
    {},
    ...all.map((schema) => schema.properties),
  ) as ObjectSchema['properties'];
  return objectOf(
    properties,
    Object.keys(properties).filter((name) => !required.includes(name)),
  );
}

function answerOf(parts: readonly Pick<Operation, 'answer'>[]): Pick<Operation, 'answer'> {
  const answer = parts.map((part) => part.answer).find((found) => found !== undefined);
  return answer === undefined ? {} : { answer };
}

function bodyOf(parts: readonly Pick<Operation, 'body'>[]): Pick<Operation, 'body'> {
  const bodies = parts.flatMap(({ body }) => (body === undefined ? [] : [body]));
  return bodies.length === 0 ? {} : { body: bodies.reduce(either) };
}

/** One object or the other: only what both require is required. */
function either(first: JsonSchema, second: JsonSchema): JsonSchema {
  const [a, b] = [partsOf(first), partsOf(second)];
  const properties = { ...a.properties };
  for (const [name, property] of Object.entries(b.properties)) {
    const [left, right] = [a.properties[name]?.['enum'], property['enum']];
    const isChoice = Array.isArray(left) && Array.isArray(right);
    properties[name] = isChoice
      ? { ...property, enum: [...new Set<unknown>([left, right].flat())] }
      : property;
  }
  const isRequired = (name: string) => a.required.includes(name) && b.required.includes(name);
  return objectOf(
    properties,
    Object.keys(properties).filter((name) => !isRequired(name)),
  );
}

function partsOf(schema: JsonSchema = {}): ObjectSchema {
  const { properties = {}, required = [] } = schema as Partial<ObjectSchema>;
  return { properties, required };
}
