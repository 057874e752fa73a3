export type { ConsoleCatalog, PageText } from './config/catalogs.js';
export type { KitAuthConsoleOptions } from './config/console.options.js';
export { KitAuthConsoleModule } from './kit-auth-console.module.js';
