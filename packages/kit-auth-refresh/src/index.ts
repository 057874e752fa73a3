export type { KitAuthRefreshOptions } from './refresh.options.js';
export { KitAuthRefreshModule } from './kit-auth-refresh.module.js';
