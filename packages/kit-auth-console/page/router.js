// Pages by URL. Every state of a page is in its URL.
import { CONFLICT, FORBIDDEN, NOT_FOUND, queryOf } from './api.js';
import { closeDialogs } from './dialogs.js';
import { fill, focusOn, h, plain } from './dom.js';
import { t } from './language.js';
import { announce, clear, fail, failure, isShownElsewhere } from './notices.js';
import { title } from './settings.js';

/** The place of pages. */
export const outlet = h('main', { id: 'main' });

/** Delay of the loading indicator. */
const PATIENCE_MS = 300;

let routes = [];
let onShown;
let loading = new AbortController();
/** The path of the page that is shown. */
let shownPath;

/**
 * @param {object[]} all each with `path`, for example `users/:id/:tab`, and `view`, which resolves with
 * `{ title, content, summary }`, and `isThere` if not all users may see it. A view gets the parameters, the query and an AbortSignal
 * @param {Function} shown is called when a page is shown
 */
export function setRoutes(all, shown) {
  onShown = shown;
  routes = all.map(({ path, view, isThere = () => true }) => ({ parts: path.split('/'), view, isThere }));
}

/** The URL of a page: its path and its query are in the hash. @param {string} path relative to the console */
export const url = (path) => new URL(`#/${path}`, location.href).href;

/** A value as a segment of the path of a page. Our own names of pages begin with a tilde, for example `~new`. */
export const pageSegment = (value) => encodeURIComponent(value).replaceAll('~', '%7E');

/** A link to a page of the console. */
export const link = (path, attributes, ...content) => h('a', { href: url(path), ...attributes }, ...content);

/** @param {boolean} [options.replace] the browser's history keeps no entry of the current page */
export function go(path, { replace = false } = {}) {
  leaveTo(url(path), replace);
  return show();
}

/** The entry that is left keeps how far it was scrolled. */
function leaveTo(target, replace = false) {
  if (replace) {
    history.replaceState(null, '', target);
  } else {
    history.replaceState({ top: scrollY }, '');
    history.pushState(null, '', target);
  }
}

/** The current path below the console, and its query. */
export function here() {
  const [, path, query] = /^#?\/?([^?]*)(.*)$/.exec(location.hash);
  return { path: path.replace(/\/$/, ''), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Changes the query of the current page. What is undefined or empty goes. */
export function goQuery(changes) {
  const { path, query } = here();
  return go(path + queryOf({ ...query, ...changes }));
}

function found(path) {
  const given = path.split('/');
  for (const { parts, view, isThere } of routes) {
    if (
      parts.length === given.length &&
      parts.every((part, i) => part.startsWith(':') || part === given[i])
    ) {
      const named = parts.map((part, i) => [part.slice(1), i]).filter((_, i) => parts[i].startsWith(':'));
      try {
        return {
          view: isThere() ? view : forbiddenPage,
          params: Object.fromEntries(named.map(([name, i]) => [name, decodeURIComponent(given[i])])),
        };
      } catch {
        return undefined; // a broken percent sign
      }
    }
  }
  return undefined;
}

/** Shows the page of the URL. Keeps the focus where only the query has changed, else moves it to the heading. */
export async function show({ keepNotices = false } = {}) {
  const { path, query } = here();
  loading.abort();
  const own = (loading = new AbortController());
  const isSame = path === shownPath;
  const before = contents();
  const waiting = setTimeout(() => {
    outlet.setAttribute('aria-busy', 'true');
    announce(t('loading'));
  }, PATIENCE_MS);
  let page;
  try {
    const match = found(path);
    page = match === undefined ? unknownPage() : await match.view(match.params, query, own.signal);
  } catch (error) {
    page = isShownElsewhere(error) ? undefined : failedPage(error);
  }
  clearTimeout(waiting);
  if (own.signal.aborted) {
    return;
  }
  outlet.removeAttribute('aria-busy');
  shownPath = path;
  if (!keepNotices) {
    clear();
  }
  if (page === undefined) {
    fill(outlet); // until the login is back
  } else {
    render(page, isSame, before);
    onShown();
  }
}

/** Reads the data of the page again. */
export const reload = () => show({ keepNotices: true });

/** Instead of the advice to reload the page. */
const OUTDATED = { [CONFLICT]: 'error.conflict', [NOT_FOUND]: 'error.gone' };

/** Shows the new state after a concurrent change, and the refusal. @returns the refusal */
export async function outdated(error, words) {
  await reload();
  fail(error, undefined, { ...OUTDATED, ...words });
  return Object.assign(error, { isShown: true });
}

/** Handles the refusal of a deletion that another administrator may have done. */
export async function whenGone(error) {
  throw error.code === NOT_FOUND ? await outdated(error) : error;
}

/** The values of fields that stay on the page, by id. */
const contents = () =>
  new Map([...outlet.querySelectorAll('input[id], select[id]')].map(({ id, value }) => [id, value]));

/** @param before what the fields contained when the page began to load. What was typed since then stays */
function render({ title: name, content, summary }, isSame, before) {
  document.title = `${plain(name)} · ${title}`;
  const { id: focused, selectionStart, selectionEnd } = isSame ? document.activeElement : {};
  const typed = isSame ? [...contents()].filter(([id, value]) => value !== before.get(id)) : [];
  fill(outlet, content);
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (field !== null) {
      field.value = value;
    }
  }
  const again = focused ? document.getElementById(focused) : null;
  if (again !== null && outlet.contains(again)) {
    again.focus({ preventScroll: true });
    if (typeof selectionStart === 'number') {
      again.setSelectionRange(selectionStart, selectionEnd);
    }
  } else if (!isSame || !document.activeElement || document.activeElement === document.body) {
    focusOn(outlet.querySelector('h1'));
    if (!isSame) {
      scrollTo(0, history.state?.top ?? 0);
    }
  }
  // The heading says the name of a page that has the focus. A filter keeps it, so its result has to be said.
  announce(isSame ? (summary ?? '') : '');
}

const forbiddenPage = () => ({
  title: t('page.forbidden'),
  content: [h('h1', {}, t('page.forbidden')), h('p', {}, t('page.unknown-hint'))],
});

const unknownPage = () => ({
  title: t('page.unknown'),
  content: [h('h1', {}, t('page.unknown')), h('p', {}, t('page.unknown-hint'))],
});

function failedPage(error) {
  const gone = error.code === NOT_FOUND ? 'page.gone' : undefined;
  const name = t(gone ?? (error.code === FORBIDDEN ? 'page.forbidden' : 'page.failed'));
  const words = { [NOT_FOUND]: 'page.gone-hint' };
  return { title: name, content: [h('h1', {}, name), failure(error, () => show(), words)] };
}

/** The heading of a page. @param actions buttons and links beside it */
export const heading = (text, ...actions) =>
  h('div', { class: 'heading' }, h('h1', {}, text), h('div', { class: 'actions' }, ...actions));

/** Follows links to pages of the console without loading them anew. */
export function followLinks() {
  document.addEventListener('click', (event) => {
    const anchor = event.target.closest?.('a[href]');
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!anchor || !isPlain || event.defaultPrevented || anchor.target || anchor.download) {
      return;
    }
    if (anchor.href.startsWith(url(''))) {
      event.preventDefault();
      leaveTo(anchor.href);
      void show();
    }
  });
  addEventListener('popstate', () => {
    // A dialog is about the page that it was opened on.
    closeDialogs();
    void show();
  });
}
