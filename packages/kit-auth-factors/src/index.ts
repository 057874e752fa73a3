export { type FactorInfo, type FactorList, UserFactors } from './administration/user-factors.js';
export type { KitAuthFactorsOptions, KitAuthFactorsOptionsFactory } from './config/factors.options.js';
export { KitAuthFactorsModule } from './kit-auth-factors.module.js';
