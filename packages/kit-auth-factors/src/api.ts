import type { factorsApi } from './factors.api.js';

/** The endpoints, for clients with types. */
export type FactorsApi = typeof factorsApi;
