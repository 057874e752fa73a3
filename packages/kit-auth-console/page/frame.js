// The frame around the pages.
import { access, can, hasUserPages } from './access.js';
import { auth } from './api.js';
import { data, fill, h } from './dom.js';
import { languageChoice, t } from './language.js';
import { announcements, notices, run } from './notices.js';
import { here, link, outlet } from './router.js';
import { home, title } from './settings.js';

/** The pages of the navigation. */
const PAGES = [
  { path: 'users', key: 'users', isThere: hasUserPages },
  {
    path: 'roles',
    key: 'roles',
    isThere: () => can('GET roles') || can('POST roles'),
  },
  {
    path: 'invitations',
    key: 'invitations',
    isThere: () => can('GET invitations'),
  },
  { path: 'audit', key: 'audit', isThere: () => can('GET audit') },
  { path: 'account', key: 'account', isThere: () => true },
];

const navigation = h('ul', {});
/** The name of the user. */
export const person = h('p', { class: 'person' });

/** The navigation, the place of the pages, and the footer. */
export function frame() {
  const logOut = h(
    'button',
    { type: 'button', class: 'small', onclick: ({ currentTarget }) => void run(currentTarget, auth.logout) },
    t('log-out'),
  );
  return [
    h('a', { class: 'skip', href: '#main', onclick: skipToMain }, t('skip')),
    h(
      'header',
      { class: 'side' },
      h('p', { class: 'brand' }, title),
      h('nav', { 'aria-label': t('navigation') }, navigation),
    ),
    h('div', { class: 'body' }, notices, outlet),
    h('footer', { class: 'foot' }, person, languageChoice(), logOut, h('a', { href: home }, t('leave'))),
    announcements,
  ];
}

function skipToMain(event) {
  event.preventDefault();
  outlet.querySelector('h1')?.focus();
}

/** Shows which page of the navigation the URL is of, and who is logged in. */
export function showFrame() {
  const { path } = here();
  const section = path.split('/')[0];
  const item = ({ path: target, key }) =>
    h('li', {}, link(target, { 'aria-current': section === target ? 'page' : undefined }, t(key)));
  fill(navigation, PAGES.filter(({ isThere }) => isThere()).map(item));
  const { nickname, username } = access.user;
  fill(person, data(nickname || username));
}

/** The URL of a page may be known although no link leads there. */
export const isPage = (path) => () => PAGES.find((it) => it.path === path).isThere();

/** The first page that the user may see. */
export const firstPage = () => PAGES.find(({ isThere }) => isThere()).path;
