export type { KitAuthRefreshOptions, KitAuthRefreshOptionsFactory } from './config/refresh.options.js';
export { KitAuthRefreshModule } from './kit-auth-refresh.module.js';
