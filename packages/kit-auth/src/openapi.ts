export { documentAccess } from './openapi/document-access.js';
export { documentKitAuth, type DocumentOptions, userSummary } from './openapi/document-kit-auth.js';
export {
  BOOLEAN,
  describeOperations,
  type DescribeOptions,
  INTEGER,
  listOf,
  objectOf,
  type OpenApiDocument,
  type Operation,
  PASSWORD,
  type Schema,
  SESSION,
  TEXT,
  TIME,
} from './openapi/describe-operations.js';
export { extendOperations, type Extension } from './openapi/extend-operations.js';
