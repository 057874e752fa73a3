// The roles of a user.
import { areAdministrative, can, isMe } from './access.js';
import { call, INVALID_INPUT } from './api.js';
import { codes, data, h } from './dom.js';
import { ask } from './dialogs.js';
import { field, form, linesOf } from './forms.js';
import { parts, t } from './language.js';
import { roleChoices } from './users.js';

/** A role may have been deleted since the page was read. */
const UNKNOWN = { [INVALID_INPUT]: 'user.roles-unknown' };

export function rolesTab({ user, roles, path, change, isManaged }) {
  const held = user.roles;
  if (!can('PUT users/{id}/roles') || !isManaged) {
    const list = held.length === 0 ? t('roles.none-of-user') : codes(held);
    return h(
      'div',
      { class: 'card' },
      h('p', {}, list),
      can('PUT users/{id}/roles') && h('p', { class: 'hint' }, t('user.beyond')),
    );
  }
  const save = (wanted, words) => saveRoles({ user, roles, wanted, path, change, words });
  if (roles.length === 0) {
    return byCode(user, save); // the viewer may not read roles
  }
  const granted = roleChoices(held, roles, (role) => whyKept(user, role, roles));
  return form({
    class: 'card narrow',
    content: [granted.element],
    action: t('save'),
    submit: () =>
      save([...granted.read(), ...held.filter((it) => !roles.some((role) => role.code === it))], UNKNOWN),
  });
}

/** Administrators who take away their own rights cannot restore them. */
const whyKept = (user, role, roles) =>
  isMe(user.userId) && user.roles.includes(role.code) && areAdministrative([role.code], roles)
    ? t('self.roles')
    : undefined;

function byCode(user, save) {
  const list = field({
    name: 'roles',
    label: t('user.roles'),
    type: 'textarea',
    value: user.roles.join('\n'),
    hint: t('user.roles-hint'),
    spellcheck: 'false',
    check: (value) =>
      isMe(user.userId) && without(user.roles, linesOf(value)).length > 0 ? t('self.roles') : undefined,
  });
  return form({
    class: 'card narrow',
    content: [list],
    action: t('save'),
    words: UNKNOWN,
    submit: (values) => save(linesOf(values.roles)),
  });
}

async function saveRoles({ user, roles, wanted, path, change, words }) {
  const [added, removed] = [without(wanted, user.roles), without(user.roles, wanted)];
  const put = () => change(() => call('PUT', `${path}/roles`, { roles: wanted }), 'user.roles-saved', words);
  // Unknown: the viewer may not read roles.
  if (roles.length > 0 && !areAdministrative([...added, ...removed], roles)) {
    await put();
    return;
  }
  await ask({
    title: t('user.roles-confirm'),
    text: [
      parts('dialog.about', { name: data(user.username) }),
      added.length > 0 && [t('user.roles-given'), ' ', codes(added)],
      removed.length > 0 && [t('user.roles-taken'), ' ', codes(removed)],
      t('user.roles-consequence'),
    ].filter(Boolean),
    action: t('save'),
    isDangerous: true,
    submit: put,
  });
}

const without = (list, others) => list.filter((it) => !others.includes(it));
