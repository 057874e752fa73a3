export { documentKitAuth, type OpenApiDocument } from './openapi/document-kit-auth.js';
export type { DocumentOptions } from './openapi/security-schemes.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
