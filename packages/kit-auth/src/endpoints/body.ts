import type { ShownAnswer } from '../contract/login-step.js';
import { isObject } from '../ports/port.js';
import { type JsonRequest, missingTexts, namesOfTexts, readJsonObject } from './json-body.js';
import { isText, type ServerOf, type Shape, TEXT } from './schema.js';

/**
 * Reads the members of a JSON body.
 *
 * @param expects completes `Send ... as application/json` for a body that is no object. Default: its strings, or `a JSON object`
 * @throws AuthException 40000
 */
export function readBody<S extends Shape>(shape: S, request: JsonRequest, expects?: string): ServerOf<S> {
  const required = Object.entries(shape).filter(([, schema]) => schema.isOptional !== true);
  const texts = required.filter(([, schema]) => schema.isText === true).map(([name]) => name);
  const isTexts = texts.length > 0 && texts.length === required.length;
  const expected = expects ?? (isTexts ? namesOfTexts(texts) : undefined);
  return readMembers(shape, readJsonObject(request, expected), texts);
}

/**
 * Reads a body with a factor that a user shows: the strings `factor` and `code`, or `factor` and `ceremony` with the object
 * `response`.
 *
 * @param more members of the body
 * @throws AuthException 40000
 */
export function readShownFactor<S extends Shape>(
  request: JsonRequest,
  more: S,
): ServerOf<S> & Omit<ShownAnswer, 'user'> {
  const { response } = readJsonObject(request);
  if (isObject(response)) {
    return { ...readBody({ ...more, factor: TEXT, ceremony: TEXT }, request), answer: response } as never;
  }
  const shown = readBody<Shape>({ ...more, factor: TEXT, code: TEXT }, request);
  return { ...shown, answer: shown['code'] } as never;
}

/**
 * Reads the members of an object, such as a query.
 *
 * @param texts the strings that a refusal names together
 * @throws AuthException 40000
 */
export function readMembers<S extends Shape>(
  shape: S,
  given: Readonly<Record<string, unknown>>,
  texts: readonly string[] = [],
): ServerOf<S> {
  const read: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && schema.isOptional === true) {
      continue;
    }
    if (schema.isText === true && !isText(value)) {
      throw missingTexts(texts.includes(name) ? texts : [name]);
    }
    read[name] = schema.read(value, name);
  }
  return read as ServerOf<S>;
}
