import type { accountApi, freshOptionsApi } from './endpoints/core.api.js';
import type { loginFactorApi } from './store/second-factor/login-factor.controller.js';

/** The endpoints of the core, for clients with types. */
export type CoreApi = typeof accountApi & typeof freshOptionsApi & typeof loginFactorApi;

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
