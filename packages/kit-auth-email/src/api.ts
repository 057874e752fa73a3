import type { emailApi } from './email.api.js';

/** The endpoints, for clients with types. */
export type EmailApi = typeof emailApi;
