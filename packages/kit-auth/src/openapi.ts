export { documentKitAuth, type OpenApiDocument } from './openapi/document-kit-auth.js';
export type { DocumentOptions } from './openapi/security-schemes.js';
