import german from './catalogs/de.json' with { type: 'json' };
import english from './catalogs/en.json' with { type: 'json' };
import type { Catalog } from './client.js';

/** The catalog of the package in English. */
export const en: Catalog = frozen(english);
/** The catalog of the package in German. */
export const de: Catalog = frozen(german);

function frozen(catalog: Catalog): Catalog {
  Object.values(catalog).forEach(Object.freeze);
  return Object.freeze(catalog);
}
