// The list of users.
import { access, can, has, isMe, reaches } from './access.js';
import { call, queryOf } from './api.js';
import { code, codes, data, h, plain } from './dom.js';
import { choices } from './fields.js';
import { field, form } from './forms.js';
import { t, time } from './language.js';
import { go, goQuery, heading, link, pageSegment } from './router.js';
import { readRoles } from './roles.js';
import { pager, sizeOf, table } from './tables.js';

export const userPath = (id) => `users/${pageSegment(id)}`;

/** The default user store searches; others only list. */
const canSearch = () => has('POST users');

/** The list that was shown last, to which pages of users lead back. */
let listPath = 'users';
export const backToUsers = () => link(listPath, { class: 'back' }, t('users'));

export async function usersPage(_params, query, signal) {
  listPath = `users${queryOf(query)}`;
  if (!can('GET users')) {
    return { title: t('users'), content: [heading(t('users'), newUser()), openForm()] };
  }
  const { q, status, role, page = '1' } = query;
  const asked = { ...(canSearch() && { q, role }), status, page, size: sizeOf(query) };
  const [found, roles] = await Promise.all([
    call('GET', `users${queryOf(asked)}`, undefined, { signal }),
    canSearch() ? readRoles(signal) : [],
  ]);
  const invite =
    can('POST invitations') && link('invitations/~new', { class: 'button' }, t('invitations.new'));
  return {
    title: t('users'),
    summary: found.total === null ? '' : t('pager.total', { count: found.total }),
    content: [
      heading(t('users'), invite, newUser()),
      filters(query, roles),
      table({ caption: t('users'), columns: COLUMNS(), rows: found.items, empty: t('users.none') }),
      pager(found),
    ],
  };
}

const newUser = () => can('POST users') && link('users/~new', { class: 'button primary' }, t('users.new'));

/** Without a list, users are found by their id, or by a name that the audit log knows. */
function openForm() {
  const name = field({
    name: 'name',
    label: t(can('GET audit') ? 'users.open-name' : 'users.open-id'),
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
  });
  return form({
    class: 'card narrow',
    content: [name],
    action: t('users.open'),
    submit: async (values) => go(userPath(await idOf(values.name.trim()))),
  });
}

/** An id wins over an equal username. */
async function idOf(text) {
  if (!can('GET audit') || (access.idType === 'number' && /^\d+$/.test(text))) {
    return text;
  }
  const { items } = await call('GET', `audit${queryOf({ subject: text, size: 20 })}`);
  const isId = items.some(({ subjectId }) => subjectId === text);
  return (!isId && items.find(({ subject }) => subject === text)?.subjectId) || text;
}

/** Own user stores may not know it. */
export const lastLogin = ({ lastLoginAt }) => (lastLoginAt || has('POST users') ? time(lastLoginAt) : '–');

const COLUMNS = () => [
  {
    label: t('user.username'),
    cell: ({ userId, username, nickname }) => [
      link(userPath(userId), {}, data(username)),
      isMe(userId) && [' ', h('span', { class: 'tag' }, t('you'))],
      nickname && nickname !== username && h('span', { class: 'under' }, data(nickname)),
    ],
  },
  { label: t('user.status'), cell: (user) => statusTags(user) },
  { label: t('user.roles'), cell: ({ roles }) => codes(roles ?? []) },
  {
    label: t('user.last-login'),
    className: 'wide fit',
    cell: lastLogin,
  },
];

/** Words, not colour alone. */
export const statusTags = ({ status, lockedUntil, mustChangePassword }) => [
  h('span', { class: status === 'DISABLED' ? 'tag bad' : 'tag good' }, t(`status.${status}`)),
  isLocked(lockedUntil) && [' ', h('span', { class: 'tag warn' }, t('status.locked'))],
  mustChangePassword && [' ', h('span', { class: 'tag' }, t('status.must-change'))],
];

export const isLocked = (until) => Boolean(until) && new Date(until) > new Date();

function filters({ q = '', status = '', role = '' }, roles) {
  const search =
    canSearch() &&
    h('input', {
      type: 'search',
      name: 'q',
      id: 'search',
      'aria-keyshortcuts': 'Control+K Meta+K',
      value: q,
      'aria-label': t('users.search'),
      placeholder: t('users.search'),
    });
  const choice = (name, value, label, options) =>
    h(
      'select',
      {
        name,
        id: `filter-${name}`,
        'aria-label': label,
        onchange: (event) => event.target.form.requestSubmit(),
      },
      [['', label], ...options].map(([key, text]) =>
        h('option', { value: key, selected: key === value }, plain(text)),
      ),
    );
  const known = roles.map((it) => it.code);
  const codes = role === '' || known.includes(role) ? known : [...known, role];
  return h(
    'form',
    {
      class: 'filters',
      role: 'search',
      onsubmit: (event) => {
        event.preventDefault();
        void goQuery({ ...Object.fromEntries(new FormData(event.target)), page: undefined });
      },
    },
    search,
    choice('status', status, t('users.any-status'), [
      ['ENABLED', t('status.ENABLED')],
      ['DISABLED', t('status.DISABLED')],
    ]),
    canSearch() &&
      codes.length > 0 &&
      choice(
        'role',
        role,
        t('users.any-role'),
        codes.map((it) => [it, it]),
      ),
    search && h('button', {}, t('search')),
    (q || status || role) && link('users', { class: 'quiet' }, t('filters.clear')),
  );
}

/** Checkboxes of all roles. Those that the user may not grant say why. @param {(role) => string} [whyNot] of others */
export const roleChoices = (codes, roles, whyNot = () => undefined) =>
  choices(
    t('user.roles'),
    roles.map((role) => ({
      value: role.code,
      label: [data(role.name), ' ', code(role.code)],
      isOn: codes.includes(role.code),
      why: whyNot(role) ?? (reaches([role.code], roles) ? undefined : t('roles.beyond')),
    })),
  );
