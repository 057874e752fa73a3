import type { helloApi } from './hello.api.js';

/** The endpoints, for clients with types. */
export type HelloApi = typeof helloApi;
