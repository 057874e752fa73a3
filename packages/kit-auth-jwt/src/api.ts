import type { jwtApi } from './jwt.api.js';

/** The endpoints, for clients with types. */
export type JwtApi = typeof jwtApi;
