// The audit log as a file for spreadsheets.
import { call, queryOf } from './api.js';

export const MAX_ROWS = 10_000;

const SIZE = 100;
const COLUMNS = [
  'id',
  'at',
  'type',
  'success',
  'actorId',
  'actor',
  'subjectId',
  'subject',
  'detail',
  'address',
];

/**
 * Reads up to 10,000 events, newest first.
 *
 * @param {object} filters the query of `GET audit`
 * @param {(count: number) => void} progress
 * @returns `text`, and `isCut`: whether there are more events
 */
export async function csvOf(filters, signal, progress) {
  const lines = [COLUMNS.join(',')];
  let { to } = filters;
  for (let page = 1; ; page++) {
    const query = queryOf({ ...filters, to, page, size: SIZE });
    const { items, total } = await call('GET', `audit${query}`, undefined, { signal });
    // A fixed end: new events would otherwise move the later pages.
    to ||= items.length > 0 ? new Date(Date.parse(items[0].at) + 1).toISOString() : undefined;
    lines.push(...items.map((event) => COLUMNS.map((name) => cell(event[name])).join(',')));
    progress(lines.length - 1);
    if (items.length < SIZE || lines.length > MAX_ROWS) {
      // The mark tells spreadsheets that the file is UTF-8.
      return { text: `\ufeff${lines.join('\r\n')}\r\n`, isCut: total > MAX_ROWS };
    }
  }
}

/** The beginnings of cells that begin like a formula, whatever a spreadsheet takes for the end of a cell. */
const FORMULAS = /(?<=^|[,;\t\r\n"])(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r])/g;

/** A spreadsheet would run a formula. */
function cell(value) {
  const text = value === null || value === undefined ? '' : String(value);
  const harmless = text.replace(FORMULAS, "'");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
