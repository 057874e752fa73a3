// The list of roles.
import { can, SUPER_ADMIN } from './access.js';
import { call } from './api.js';
import { code, codes, data, h } from './dom.js';
import { language, t } from './language.js';
import { heading, link, pageSegment } from './router.js';
import { table } from './tables.js';

export const rolePath = (it) => `roles/${pageSegment(it)}`;

/** All roles. Empty if the user may not see them. */
export const readRoles = (signal) => (can('GET roles') ? call('GET', 'roles', undefined, { signal }) : []);

const newRole = () => can('POST roles') && link('roles/~new', { class: 'button primary' }, t('roles.new'));

export async function rolesPage(_params, { sort = 'code' }, signal) {
  if (!can('GET roles')) {
    return { title: t('roles'), content: [heading(t('roles'), newRole())] };
  }
  const roles = await readRoles(signal);
  const [by, direction] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  const collator = new Intl.Collator(language());
  const rows = roles.sort((a, b) => direction * collator.compare(String(a[by] ?? ''), String(b[by] ?? '')));
  const sorting = (name) => ({
    label: t(`role.${name}`),
    sorted: name !== by ? 'none' : direction === 1 ? 'ascending' : 'descending',
    sort: link(
      `roles?sort=${name === by && direction === 1 ? `-${name}` : name}`,
      { id: `sort-${name}`, class: 'sort' },
      t(`role.${name}`),
    ),
  });
  return {
    title: t('roles'),
    content: [
      heading(t('roles'), newRole()),
      table({
        caption: t('roles'),
        rows,
        empty: t('roles.none'),
        columns: [
          { ...sorting('code'), cell: (role) => link(rolePath(role.code), {}, code(role.code)) },
          { ...sorting('name'), cell: ({ name }) => data(name) },
          { label: t('role.permissions'), className: 'wide', cell: permissionsCell },
          { label: t('role.includes'), className: 'wide', cell: ({ includes }) => some(includes) },
        ],
      }),
    ],
  };
}

const permissionsCell = ({ code: own, permissions }) =>
  own === SUPER_ADMIN ? t('role.all') : some(permissions);

const SHOWN = 6;
const some = (all) => [
  codes(all.slice(0, SHOWN)),
  all.length > SHOWN && h('span', { class: 'muted' }, t('more', { count: all.length - SHOWN })),
];
