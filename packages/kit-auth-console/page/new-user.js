// A new user.
import { call, CONFLICT } from './api.js';
import { nicknameField, nicknameIn, passwordField } from './fields.js';
import { field, form } from './forms.js';
import { t } from './language.js';
import { notify } from './notices.js';
import { go, heading, link } from './router.js';
import { readRoles } from './roles.js';
import { roleChoices, userPath } from './users.js';

export async function newUserPage(_params, _query, signal) {
  const roles = await readRoles(signal);
  const username = field({
    name: 'username',
    label: t('user.username'),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: 255,
    required: true,
  });
  const nickname = nicknameField();
  const password = passwordField({ name: 'password', label: t('user.first-password') });
  const granted = roleChoices([], roles);
  return {
    title: t('users.new'),
    content: [
      link('users', { class: 'back' }, t('users')),
      heading(t('users.new')),
      form({
        class: 'card narrow',
        content: [username, nickname, password, roles.length > 0 && granted.element],
        action: t('users.create'),
        cancel: link('users', { class: 'button' }, t('cancel')),
        words: { [CONFLICT]: 'users.taken' },
        blamed: { [CONFLICT]: username },
        async submit(values) {
          const { userId } = await call('POST', 'users', {
            username: values.username.trim(),
            password: values.password,
            ...nicknameIn(values),
            roles: granted.read(),
          });
          await go(userPath(userId));
          notify(t('users.created'));
        },
      }),
    ],
  };
}
