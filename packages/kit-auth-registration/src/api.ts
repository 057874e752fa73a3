import type { registrationApi } from './registration.api.js';

/** The endpoints, for clients with types. */
export type RegistrationApi = typeof registrationApi;
