export { documentKitAuth, type OpenApiDocument } from './openapi/document-kit-auth.js';
export {
  type Addition,
  AUTH_OPERATIONS,
  type AuthOperations,
  BOOLEAN,
  type DescribedApplication,
  EMAIL,
  INTEGER,
  listOf,
  objectOf,
  type Operation,
  type OperationTables,
  orNull,
  PASSWORD,
  type Schema,
  SESSION,
  TEXT,
  TIME,
} from './openapi/operation.js';
export type { DocumentOptions } from './openapi/security-schemes.js';
