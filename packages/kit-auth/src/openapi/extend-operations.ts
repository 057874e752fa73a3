import type { AuthErrorCode } from '../errors/auth-error-code.js';
import { errorResponse, type OpenApiDocument, operationsIn, type Schema } from './describe-operations.js';

/** Makes the new schema of an object. @param optional those of the described properties that are not required */
type Change = (properties: Readonly<Record<string, Schema>>, optional: readonly string[]) => Schema;

/** What a package changes in the description of an endpoint of another package. */
export interface Extension {
  body?: Change;
  /** Of the status 200. */
  answer?: Change;
  /** Codes that are added. */
  errors?: readonly AuthErrorCode[];
}

interface Content {
  content?: Record<string, { schema?: Schema } | undefined>;
}

interface ObjectSchema {
  properties: Readonly<Record<string, Schema>>;
  required: readonly string[];
}

interface Described {
  requestBody?: Content;
  responses?: Record<string, Content & { description?: string }>;
}

/**
 * Extends operations that `describeOperations()` has described before.
 *
 * @param extensions by method and path below `/v1/api/auth/`. Those that the document does not have are ignored.
 *
 * @example
 * ```ts
 * extendOperations(document, { 'POST login': { errors: [AuthErrorCode.SECOND_FACTOR_REQUIRED] } });
 * ```
 *
 * @returns the same document
 */
export function extendOperations<T extends OpenApiDocument>(
  document: T,
  extensions: Readonly<Record<string, Extension>>,
): T {
  for (const { key, generated } of operationsIn(document)) {
    const { body, answer, errors = [] } = extensions[key] ?? {};
    const described = generated as Described;
    changeSchema(described.requestBody, body);
    changeSchema(described.responses?.['200'], answer);
    errors.forEach((code) => addError(described, code));
  }
  return document;
}

/** Adds a code to the answers of an operation, whose other answers with this status stay. */
export function addError(operation: { responses?: Described['responses'] }, code: AuthErrorCode): void {
  const status = Math.trunc(code / 100);
  const { [status]: given = {}, ...responses } = operation.responses ?? {};
  if (given.description?.includes(String(code)) !== true) {
    const added = errorResponse(code, given.description);
    const answer = { ...added, ...given, description: added.description };
    Object.assign(operation, { responses: { ...responses, [status]: answer } });
  }
}

function changeSchema(part: Content | undefined, change: Change | undefined): void {
  const json = part?.content?.['application/json'];
  if (json?.schema !== undefined && change !== undefined) {
    const { properties = {}, required = [] } = json.schema as Partial<ObjectSchema>;
    json.schema = change(
      properties,
      Object.keys(properties).filter((name) => !required.includes(name)),
    );
  }
}
