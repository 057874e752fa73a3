import type { consoleApi } from './access/console.api.js';

/** The endpoints, for clients with types. */
export type ConsoleApi = typeof consoleApi;
