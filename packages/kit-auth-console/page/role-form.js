// The form of a role.
import { isAdministrative, permissionsOf, reaches, SUPER_ADMIN, withIncluded } from './access.js';
import { call, CONFLICT, NOT_FOUND, segment } from './api.js';
import { code, data, h } from './dom.js';
import { ask } from './dialogs.js';
import { choices } from './fields.js';
import { field, form, linesOf } from './forms.js';
import { parts, t } from './language.js';
import { notify } from './notices.js';
import { rolePath } from './roles.js';
import { go, link, outdated, reload } from './router.js';

const CHANGE_WORDS = { [CONFLICT]: 'roles.conflict' };
/** Parts of letters, digits, `.`, `_` and `-`, or `*`, joined by colons. */
const PERMISSION = /^([\w.-]+|\*)(:([\w.-]+|\*))*$/;
const CODE = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** @param role undefined for a new one */
export function roleForm(role, roles) {
  const own = field({
    name: 'code',
    label: t('role.code'),
    hint: t('role.code-hint'),
    autocapitalize: 'off',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    check: (value) => (CODE.test(value) ? undefined : t('role.code-hint')),
  });
  const name = field({
    name: 'name',
    label: t('role.name'),
    value: role?.name,
    maxlength: 255,
    autocomplete: 'off',
    required: true,
  });
  const permissions = field({
    name: 'permissions',
    label: t('role.permissions'),
    type: 'textarea',
    rows: Math.min(12, Math.max(4, (role?.permissions.length ?? 0) + 1)),
    value: role?.permissions.join('\n'),
    hint: t('role.permissions-hint'),
    autocapitalize: 'off',
    spellcheck: 'false',
    check: (value) => {
      const wrong = linesOf(value).find((it) => !PERMISSION.test(it));
      return wrong === undefined ? undefined : t('role.permission-wrong', { value: wrong });
    },
  });
  const whyNot = (other) => {
    if (role !== undefined && withIncluded([other.code], roles).has(role.code)) {
      return t('roles.includes-this');
    }
    return reaches([other.code], roles) ? undefined : t('roles.beyond');
  };
  const others = roles.filter((it) => it.code !== role?.code && it.code !== SUPER_ADMIN);
  const includes = choices(
    t('role.includes'),
    others.map((it) => ({
      value: it.code,
      label: [data(it.name), ' ', code(it.code)],
      isOn: role?.includes.includes(it.code) ?? false,
      why: whyNot(it),
    })),
  );
  const isNew = role === undefined;
  return form({
    class: 'card narrow',
    content: [
      isNew ? own : h('p', {}, code(role.code)),
      name,
      permissions,
      others.length > 0 && includes.element,
    ],
    action: t(isNew ? 'roles.create' : 'save'),
    cancel: link('roles', { class: 'button' }, t('cancel')),
    words: isNew ? { [CONFLICT]: 'roles.taken' } : CHANGE_WORDS,
    blamed: isNew ? { [CONFLICT]: own } : {},
    async submit(values) {
      const grants = {
        name: values.name.trim(),
        permissions: linesOf(values.permissions),
        includes: includes.read(),
      };
      if (isNew) {
        await call('POST', 'roles', { code: values.code, ...grants });
        await go(rolePath(values.code));
        notify(t('roles.created'));
      } else {
        await changeRole(role, grants, roles);
      }
    },
  });
}

async function changeRole(role, grants, roles) {
  const save = async () => {
    try {
      await call('PATCH', `roles/${segment(role.code)}`, grants);
    } catch (error) {
      throw error.code === NOT_FOUND ? await outdated(error) : error;
    }
    await reload();
    notify(t('saved'));
  };
  const changed = [...roles.filter((it) => it.code !== role.code), { ...role, ...grants }];
  const rightsOf = (all) => [...permissionsOf([role.code], all)].filter(isAdministrative).sort().join();
  if (rightsOf(roles) === rightsOf(changed)) {
    await save();
    return;
  }
  await ask({
    title: t('roles.confirm'),
    text: [
      parts('roles.about', { name: data(role.name), code: code(role.code) }),
      t('roles.confirm-consequence'),
    ],
    action: t('save'),
    isDangerous: true,
    words: CHANGE_WORDS,
    submit: save,
  });
}
