// The audit log.
import { call, queryOf } from './api.js';
import { csvOf, MAX_ROWS } from './csv.js';
import { fill, h } from './dom.js';
import { opened } from './dialogs.js';
import { eventRows } from './events.js';
import { field, form } from './forms.js';
import { eventName, language, t } from './language.js';
import { failure, isShownElsewhere, notify } from './notices.js';
import { goQuery, heading, link } from './router.js';
import { pager, sizeOf } from './tables.js';
import { EVENT_TYPES } from './event-types.js';

const FILTERS = ['actor', 'subject', 'type', 'from', 'to'];

export async function auditPage(_params, query, signal) {
  const { page = '1' } = query;
  const filters = Object.fromEntries(FILTERS.map((it) => [it, query[it]]));
  const asked = { ...filters, from: timeOf(filters.from), to: timeOf(filters.to) };
  const found = await call('GET', `audit${queryOf({ ...asked, page, size: sizeOf(query) })}`, undefined, {
    signal,
  });
  return {
    title: t('audit'),
    summary: t('pager.total', { count: found.total }),
    content: [
      heading(
        t('audit'),
        h(
          'button',
          { type: 'button', onclick: () => void download(asked, found.total) },
          t('audit.download'),
        ),
      ),
      filterForm(filters),
      eventRows(found.items),
      pager(found),
    ],
  };
}

/** The value of a field for a local time, in ISO 8601. Sends a broken one as it is, so that the server refuses it. */
function timeOf(text) {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

function filterForm(filters) {
  const known = EVENT_TYPES.map((it) => [it, eventName(it)]).sort(([, a], [, b]) =>
    a.localeCompare(b, language()),
  );
  const types =
    !filters.type || EVENT_TYPES.includes(filters.type)
      ? known
      : [...known, [filters.type, eventName(filters.type)]];
  const input = (name, type, more) =>
    field({
      id: `filter-${name}`,
      name,
      label: t(`audit.${name}`),
      type,
      value: filters[name],
      autocomplete: 'off',
      ...more,
    });
  return form({
    class: 'filters labelled',
    role: 'search',
    content: [
      input('subject', 'text', { placeholder: t('audit.name-or-id') }),
      input('actor', 'text', { placeholder: t('audit.name-or-id') }),
      input('type', 'select', { options: [['', t('audit.any-type')], ...types] }),
      input('from', 'datetime-local'),
      input('to', 'datetime-local'),
    ],
    action: t('search'),
    cancel: FILTERS.some((it) => filters[it]) && link('audit', { class: 'quiet' }, t('filters.clear')),
    // Another search may begin before this one is answered.
    submit: (values) => void goQuery({ ...values, page: undefined }),
  });
}

/** Reads all pages of the list, and offers them as a file. */
async function download(filters, total) {
  const controller = new AbortController();
  const status = h('p', { role: 'status' }, t('audit.downloading'));
  const bar = h('progress', {
    max: Math.min(total, MAX_ROWS),
    value: 0,
    'aria-label': t('audit.downloading'),
  });
  const dialog = h(
    'dialog',
    { 'aria-label': t('audit.download') },
    h('h2', {}, t('audit.download')),
    status,
    bar,
    h(
      'div',
      { class: 'form-actions' },
      h('button', { type: 'button', onclick: () => dialog.close() }, t('cancel')),
    ),
  );
  void opened(dialog, () => controller.abort());
  try {
    const { text, isCut } = await csvOf(filters, controller.signal, (count) => (bar.value = count));
    save(text);
    dialog.close();
    notify(t(isCut ? 'audit.downloaded-part' : 'audit.downloaded', { count: MAX_ROWS }));
  } catch (error) {
    if (isShownElsewhere(error)) {
      dialog.close();
    } else {
      const again = () => {
        dialog.close();
        void download(filters, total);
      };
      bar.remove();
      fill(status, failure(error, again));
    }
  }
}

function save(text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  h('a', { href: address, download: `audit-${new Date().toISOString().slice(0, 10)}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
