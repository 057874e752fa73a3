// The sentences of kit-auth-languages, from its catalogs.
import { readFileSync } from 'node:fs';
import { code, table } from './sources.mjs';

const catalogOf = (tag) =>
  JSON.parse(readFileSync(`packages/kit-auth-languages/src/catalogs/${tag}.json`, 'utf8'));
const [english, german] = ['en', 'de'].map(catalogOf);

/** All sentences of a list, or all plural forms, each once. */
const cellOf = (entry) =>
  [...new Set(typeof entry === 'string' ? [entry] : Object.values(entry))].join('<br>');

const sentences = Object.keys(english)
  .sort() // objects have keys that are integers first
  .filter((key) => !key.startsWith('$'))
  .map((key) => ({ key: code(key), English: cellOf(english[key]), German: cellOf(german[key]) }));

/** @param columns of a table. Prettier would make each line as long as the longest sentences of all columns */
export function sentencesIn(columns) {
  return `<!-- prettier-ignore -->\n${table(columns.split(', '), sentences)}`;
}
