export type { Catalog, PluralSentence } from './client.js';
export { de, en } from './catalogs.js';
export type { KitAuthLanguagesOptions } from './languages.options.js';
export { KitAuthLanguagesModule } from './kit-auth-languages.module.js';
