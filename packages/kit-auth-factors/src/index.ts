export { UserFactors } from './account/user-factors.js';
export type { FactorInfo, FactorList } from './factors.api.js';
export type { KitAuthFactorsOptions } from './factors.options.js';
export { KitAuthFactorsModule } from './kit-auth-factors.module.js';
