// The account of a user, and what can be done to it.
import { access, areAdministrative, can, has, isMe } from './access.js';
import { actionButton } from './buttons.js';
import { call, CONFLICT } from './api.js';
import { code, codes, data, h } from './dom.js';
import { ask } from './dialogs.js';
import { nicknameField, passwordField } from './fields.js';
import { parts, t, time } from './language.js';
import { notify, run } from './notices.js';
import { go, whenGone } from './router.js';
import { facts } from './tables.js';
import { isLocked, lastLogin } from './users.js';

export function accountTab({ user, roles, path, change, isManaged }) {
  const { userId, username, nickname, lockedUntil } = user;
  return h(
    'div',
    { class: 'card' },
    facts([
      [t('user.username'), can('GET users/{id}') && data(username)],
      [t('user.nickname'), nickname && data(nickname)],
      [t('user.id'), code(userId)],
      [t('user.status'), user.status && t(`status.${user.status}`)],
      [t('user.roles'), user.roles && (user.roles.length > 0 ? codes(user.roles) : t('none'))],
      [t('user.locked-until'), isLocked(lockedUntil) && time(lockedUntil)],
      [t('user.last-login'), can('GET users/{id}') && lastLogin(user)],
      [t('user.created'), user.createdAt && time(user.createdAt)],
      [t('user.updated'), user.updatedAt && time(user.updatedAt)],
    ]),
    access.sections.users.includes('write') &&
      (isManaged
        ? actions(user, path, change, areAdministrative(user.roles ?? [], roles))
        : h('p', { class: 'hint' }, t('user.beyond'))),
  );
}

/** @param {boolean} isAdministrator whether the user has administrative rights, which dialogs say */
function actions(user, path, change, isAdministrator) {
  const { userId, username, status, lockedUntil } = user;
  const me = isMe(userId);
  const name = parts('dialog.about', { name: data(username) });
  const warning = isAdministrator ? [t('dialog.administrator')] : [];
  const button = (key, onclick, { isThere = true, isDangerous = false, why } = {}) =>
    isThere && actionButton(t(key), onclick, { isDangerous, why });
  /** Runs a change that needs no dialog. */
  const atOnce =
    (work, done, words) =>
    ({ currentTarget }) =>
      void run(currentTarget, () => change(work, done, words));
  const setStatus = (to) => call('PATCH', path, { status: to });
  return h(
    'div',
    { class: 'actions' },
    button('user.edit', () => editNickname(user, path, change), {
      isThere: has('POST users') && can('GET users/{id}') && can('PATCH users/{id}'),
    }),
    button(
      'user.unlock',
      atOnce(() => call('POST', `${path}/unlock`), 'user.unlocked'),
      {
        isThere: can('POST users/{id}/unlock') && isLocked(lockedUntil),
        why: me ? t('self.unlock') : undefined,
      },
    ),
    button(
      'user.reset-link',
      atOnce(() => call('POST', `${path}/reset-link`), 'user.reset-link-sent', {
        [CONFLICT]: 'user.reset-link-impossible',
      }),
      { isThere: can('POST users/{id}/reset-link') && status !== 'DISABLED' },
    ),
    button('user.set-password', () => setPassword(username, path, change), {
      isThere: can('POST users/{id}/password'),
      why: me ? t('self.password') : undefined,
    }),
    button(
      'user.enable',
      atOnce(() => setStatus('ENABLED'), 'user.enabled'),
      { isThere: can('PATCH users/{id}') && status === 'DISABLED' },
    ),
    button(
      'user.disable',
      () =>
        ask({
          title: t('user.disable'),
          text: [name, t('user.disable-consequence'), ...warning],
          action: t('user.disable'),
          isDangerous: true,
          submit: () => change(() => setStatus('DISABLED'), 'user.disabled'),
        }),
      {
        isThere: can('PATCH users/{id}') && status !== 'DISABLED',
        isDangerous: true,
        why: me ? t('self.disable') : undefined,
      },
    ),
    button(
      'user.delete',
      () =>
        ask({
          title: t('user.delete'),
          text: [name, t('user.delete-consequence'), ...warning],
          typed: username,
          action: t('user.delete'),
          isDangerous: true,
          async submit() {
            await call('DELETE', path).catch(whenGone);
            await go('users');
            notify(t('user.deleted'));
          },
        }),
      { isThere: can('DELETE users/{id}'), isDangerous: true, why: me ? t('self.delete') : undefined },
    ),
  );
}

function editNickname({ nickname }, path, change) {
  const name = nicknameField({ value: nickname, required: true });
  return ask({
    title: t('user.edit'),
    content: [name],
    action: t('save'),
    submit: (values) => change(() => call('PATCH', path, { nickname: values.nickname.trim() }), 'saved'),
  });
}

function setPassword(username, path, change) {
  const password = passwordField({ name: 'newPassword', label: t('password.new') });
  return ask({
    title: t('user.set-password'),
    text: [parts('dialog.about', { name: data(username) }), t('user.set-password-consequence')],
    content: [password],
    action: t('user.set-password'),
    submit: ({ newPassword }) =>
      change(() => call('POST', `${path}/password`, { newPassword }), 'user.password-set'),
  });
}
