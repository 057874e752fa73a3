// Tables of rows from the server, and the links through their pages.
import { h } from './dom.js';
import { t } from './language.js';
import { goQuery, here, link } from './router.js';
import { queryOf } from './api.js';
import { store, stored } from './settings.js';

export const SIZES = ['20', '50', '100'];

/** The size of a page of a list: of the URL, else the one that was chosen last. */
export const sizeOf = ({ size }) => [size, stored('size')].find((it) => SIZES.includes(it)) ?? SIZES[0];

/**
 * The roles are written out because the style shows rows as blocks on phones, where some browsers forget them.
 *
 * @param {object} options `caption`; `columns`, each with `label`, `cell(row)`, `className`, and `sort`, its state if rows
 * are sorted by it; the first one is the header of its row; `rows`; `empty`, what it says without rows
 */
export function table({ caption, columns, rows, empty }) {
  if (rows.length === 0) {
    return h('p', { class: 'empty' }, empty);
  }
  const head = columns.map(({ label, className, sort, sorted }) =>
    h('th', { scope: 'col', role: 'columnheader', class: className, 'aria-sort': sorted }, sort ?? label),
  );
  const body = rows.map((row) =>
    h(
      'tr',
      { role: 'row' },
      columns.map(({ label, cell, className }, i) =>
        i === 0
          ? h('th', { scope: 'row', role: 'rowheader', class: className }, cell(row))
          : h(
              'td',
              { role: 'cell', class: className, 'data-label': typeof label === 'string' ? label : undefined },
              cell(row),
            ),
      ),
    ),
  );
  return h(
    'div',
    { class: 'table', role: 'region', 'aria-label': caption, tabindex: 0 },
    h(
      'table',
      { role: 'table' },
      h('caption', { class: 'sr-only' }, caption),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
      h('tbody', { role: 'rowgroup' }, body),
    ),
  );
}

/** The column of the buttons of rows. */
export const actionColumn = (cell) => ({
  label: h('span', { class: 'sr-only' }, t('actions')),
  className: 'end',
  cell,
});

/**
 * The links to the previous and the next page of a list, and the choice of its size.
 *
 * @param {number | null} list.total null while more entries follow, which are not counted
 */
export function pager({ page, size, total }) {
  const { path, query } = here();
  const last = total === null ? undefined : Math.max(1, Math.ceil(total / size));
  const to = (number, key) =>
    number >= 1 && number <= (last ?? Infinity)
      ? link(
          `${path}${queryOf({ ...query, page: number === 1 ? undefined : number })}`,
          { class: 'button small', id: key },
          t(key),
        )
      : h('span', { class: 'button small off', 'aria-disabled': 'true' }, t(key));
  if (last === 1 && total <= Number(SIZES[0])) {
    return h('p', { class: 'muted' }, t('pager.total', { count: total }));
  }
  const choice = h(
    'select',
    {
      id: 'page-size',
      'aria-label': t('pager.size'),
      onchange: ({ target }) => {
        store('size', target.value);
        void goQuery({ size: target.value, page: undefined });
      },
    },
    SIZES.map((it) => h('option', { value: it, selected: Number(it) === size }, it)),
  );
  return h(
    'nav',
    { class: 'pager', 'aria-label': t('pager') },
    h(
      'span',
      { class: 'muted' },
      last === undefined ? t('pager.page-only', { page }) : t('pager.page', { page, last }),
    ),
    total !== null && h('span', { class: 'muted' }, t('pager.total', { count: total })),
    h('span', { class: 'actions' }, choice, to(page - 1, 'pager.previous'), to(page + 1, 'pager.next')),
  );
}

/** Names with their values. Those without a value are left out. */
export const facts = (entries) =>
  h(
    'dl',
    { class: 'facts' },
    entries
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
      .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
