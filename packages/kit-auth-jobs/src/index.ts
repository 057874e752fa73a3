export { type CarriedMessage, UserCarrier } from './carrying/user.carrier.js';
export type { WithUser } from './carrying/carried-data.js';
export type { CarriedAudience, CarriedAudiences, KitAuthJobsOptions } from './jobs.options.js';
export { AsCarriedUser, type AsCarriedUserOptions } from './handlers/as-carried-user.decorator.js';
export { KitAuthJobsModule } from './kit-auth-jobs.module.js';
