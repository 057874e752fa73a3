// Invitations: who was invited, and new ones.
import { can, reaches } from './access.js';
import { call, CONFLICT, segment } from './api.js';
import { codes, data, h } from './dom.js';
import { ask } from './dialogs.js';
import { nicknameField, nicknameIn } from './fields.js';
import { field, form } from './forms.js';
import { available, language, nameOfLanguage, parts, t, time } from './language.js';
import { notify } from './notices.js';
import { go, heading, link, reload, whenGone } from './router.js';
import { actionColumn, table } from './tables.js';
import { readRoles } from './roles.js';
import { roleChoices } from './users.js';

export async function invitationsPage(_params, _query, signal) {
  const [rows, roles] = await Promise.all([
    call('GET', 'invitations', undefined, { signal }),
    readRoles(signal),
  ]);
  const invite =
    can('POST invitations') && link('invitations/~new', { class: 'button primary' }, t('invitations.new'));
  return {
    title: t('invitations'),
    content: [
      heading(t('invitations'), invite),
      table({
        caption: t('invitations'),
        rows,
        empty: t('invitations.none'),
        columns: [
          {
            label: t('invitations.email'),
            cell: ({ email, nickname }) => [
              data(email),
              nickname && h('span', { class: 'under' }, data(nickname)),
            ],
          },
          { label: t('user.roles'), cell: ({ roles: given }) => codes(given) },
          { label: t('expires'), cell: ({ expiresAt }) => time(expiresAt) },
          actionColumn(
            (row) =>
              can('DELETE invitations/{id}') &&
              reaches(row.roles, roles) &&
              h('button', { type: 'button', class: 'small', onclick: () => end(row) }, t('invitations.end')),
          ),
        ],
      }),
    ],
  };
}

const end = ({ id, email }) =>
  ask({
    title: t('invitations.end'),
    text: [parts('dialog.about', { name: data(email) }), t('invitations.end-consequence')],
    action: t('invitations.end'),
    isDangerous: true,
    async submit() {
      await call('DELETE', `invitations/${segment(id)}`).catch(whenGone);
      await reload();
      notify(t('invitations.ended'));
    },
  });

export async function newInvitationPage(_params, _query, signal) {
  const roles = await readRoles(signal);
  return {
    title: t('invitations.new'),
    content: [
      link('invitations', { class: 'back' }, t('invitations')),
      heading(t('invitations.new')),
      inviteForm(roles),
    ],
  };
}

function inviteForm(roles) {
  const email = field({
    name: 'email',
    label: t('invitations.email'),
    type: 'email',
    autocomplete: 'off',
    required: true,
    check: (value) => (/^\s*[^\s@]+@[^\s@]+\s*$/.test(value) ? undefined : t('field.email')),
  });
  const nickname = nicknameField();
  const locale = field({
    name: 'locale',
    label: t('invitations.language'),
    type: 'select',
    value: language(),
    options: available.map((it) => [it, nameOfLanguage(it)]),
  });
  const granted = roleChoices([], roles);
  return form({
    class: 'card narrow',
    content: [email, nickname, locale, roles.length > 0 && granted.element],
    action: t('invitations.send'),
    cancel: link('invitations', { class: 'button' }, t('cancel')),
    words: { [CONFLICT]: 'invitations.taken' },
    blamed: { [CONFLICT]: email },
    async submit(values) {
      await call('POST', 'invitations', {
        email: values.email.trim(),
        locale: values.locale,
        ...nicknameIn(values),
        ...(granted.read().length > 0 && { roles: granted.read() }),
      });
      await go('invitations');
      notify(t('invitations.sent'));
    },
  });
}
