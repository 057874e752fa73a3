// One role, or a new one.
import { can, has, permissionsOf, reaches, SUPER_ADMIN } from './access.js';
import { call, CONFLICT, queryOf, segment } from './api.js';
import { code, codes, data, h } from './dom.js';
import { ask } from './dialogs.js';
import { parts, t } from './language.js';
import { notify } from './notices.js';
import { roleForm } from './role-form.js';
import { readRoles } from './roles.js';
import { go, heading, link, whenGone } from './router.js';

export async function rolePage({ code: wanted }, _query, signal) {
  const roles = await readRoles(signal);
  const role = roles.find((it) => it.code === wanted);
  if (role === undefined) {
    return {
      title: t('page.gone'),
      content: [
        link('roles', { class: 'back' }, t('roles')),
        h('h1', {}, t('page.gone')),
        h('p', {}, t('page.gone-hint')),
      ],
    };
  }
  const isBuiltIn = role.code === SUPER_ADMIN;
  const isManaged = reaches([role.code], roles);
  const isOpen = isManaged && !isBuiltIn;
  const members = has('POST users') && can('GET users');
  const remove = () =>
    ask({
      title: t('roles.delete'),
      text: [
        parts('roles.about', { name: data(role.name), code: code(role.code) }),
        t('roles.delete-consequence'),
      ],
      typed: role.code,
      action: t('roles.delete'),
      isDangerous: true,
      words: { [CONFLICT]: 'roles.in-use' },
      async submit() {
        await call('DELETE', `roles/${segment(role.code)}`).catch(whenGone);
        await go('roles');
        notify(t('roles.deleted'));
      },
    });
  return {
    title: role.name,
    content: [
      link('roles', { class: 'back' }, t('roles')),
      heading(
        data(role.name),
        members && link(`users${queryOf({ role: role.code })}`, { class: 'button' }, t('roles.members')),
        isOpen &&
          can('DELETE roles/{code}') &&
          h('button', { type: 'button', class: 'danger', onclick: remove }, t('roles.delete')),
      ),
      isOpen && can('PATCH roles/{code}') ? roleForm(role, roles) : readOnly(role),
      can('PATCH roles/{code}') &&
        !isOpen &&
        h('p', { class: 'hint' }, t(isBuiltIn ? 'roles.built-in' : 'roles.beyond')),
      inherited(role, roles),
    ],
  };
}

const codesOrNone = (all) => (all.length > 0 ? codes(all) : t('none'));

const readOnly = (role) =>
  h(
    'div',
    { class: 'card' },
    h('p', {}, code(role.code)),
    h('h2', {}, t('role.permissions')),
    h('p', {}, role.code === SUPER_ADMIN ? t('role.all') : codesOrNone(role.permissions)),
    h('h2', {}, t('role.includes')),
    h('p', {}, codesOrNone(role.includes)),
  );

/** The permissions that the role has by those that it includes. */
function inherited(role, roles) {
  const own = new Set(role.permissions);
  const others = [...permissionsOf(role.includes, roles)].filter((it) => !own.has(it)).sort();
  return (
    others.length > 0 &&
    h('section', { class: 'card inherited' }, h('h2', {}, t('role.inherited')), h('p', {}, codes(others)))
  );
}

export async function newRolePage(_params, _query, signal) {
  const roles = await readRoles(signal);
  return {
    title: t('roles.new'),
    content: [
      link('roles', { class: 'back' }, t('roles')),
      heading(t('roles.new')),
      roleForm(undefined, roles),
    ],
  };
}
