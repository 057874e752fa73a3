// The account of the user: sessions, password, second factors.
import { access, has } from './access.js';
import { call, NOT_FOUND, segment } from './api.js';
import { actionButton } from './buttons.js';
import { data, h } from './dom.js';
import { ask } from './dialogs.js';
import { passwordForm } from './gates.js';
import { t } from './language.js';
import { notify, run } from './notices.js';
import { heading, reload } from './router.js';
import { actionColumn, facts, table } from './tables.js';
import { factorColumns, identityColumns, passkeyColumns } from './user-factors.js';
import { keyColumns, readSessions, sessionColumns, sessionsUnknown } from './user-sessions.js';
import { home } from './settings.js';

/** Lists whose changes need pages of the application. */
const LISTS = [
  { name: 'factors', columns: factorColumns },
  { name: 'passkeys', columns: passkeyColumns },
  { name: 'keys', columns: keyColumns },
  { name: 'identities', columns: identityColumns },
];

export async function accountPage(_params, _query, signal) {
  const read = (path) => call('GET', path, undefined, { signal });
  const [sessions, email, ...lists] = await Promise.all([
    has('GET sessions') ? readSessions('sessions', signal) : undefined,
    has('GET email') ? read('email') : undefined,
    ...LISTS.map(({ name }) => (has(`GET ${name}`) ? read(name) : undefined)),
  ]);
  const { username, nickname } = access.user;
  return {
    title: t('account'),
    content: [
      heading(t('account')),
      h(
        'section',
        { class: 'card' },
        facts([
          [t('user.username'), data(username)],
          [t('user.nickname'), nickname && data(nickname)],
          [t('account.email'), email?.email && data(email.email)],
        ]),
      ),
      has('GET sessions') && sessionsPart(sessions),
      has('POST password') &&
        h(
          'section',
          { class: 'card' },
          h('h2', {}, t('password')),
          h(
            'div',
            { class: 'narrow' },
            passwordForm(() => notify(t('password.changed'))),
          ),
        ),
      LISTS.map(
        ({ name, columns }, i) => lists[i] && listPart(name, lists[i].factors ?? lists[i], columns()),
      ),
    ],
  };
}

function sessionsPart(sessions) {
  const end = (id) => async () => {
    await call('DELETE', id === undefined ? 'sessions' : `sessions/${segment(id)}`).catch(ignoreGone);
    await reload();
    notify(t(id === undefined ? 'sessions.ended-all' : 'sessions.ended'));
  };
  const one = actionColumn(
    ({ id, current }) =>
      !current &&
      actionButton(t('sessions.end'), ({ currentTarget }) => void run(currentTarget, end(id)), {
        small: true,
      }),
  );
  const all = () =>
    ask({
      title: t('sessions.end-others'),
      text: [t('sessions.end-others-consequence')],
      action: t('sessions.end-others'),
      isDangerous: true,
      submit: end(),
    });
  return h(
    'section',
    { class: 'card' },
    h('h2', {}, t('tab.sessions')),
    sessions === undefined
      ? sessionsUnknown()
      : table({
          caption: t('tab.sessions'),
          columns: [...sessionColumns(), one],
          rows: sessions,
          empty: t('sessions.none'),
        }),
    sessions?.length !== 1 &&
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'button', class: 'danger', onclick: all }, t('sessions.end-others')),
      ),
  );
}

/** It has ended already. */
function ignoreGone(error) {
  if (error.code !== NOT_FOUND) {
    throw error;
  }
}

const listPart = (name, rows, columns) =>
  h(
    'section',
    { class: 'card' },
    h('h2', {}, t(`tab.${name}`)),
    table({ caption: t(`tab.${name}`), columns, rows, empty: t(`${name}.none`) }),
    h('p', {}, h('a', { href: home }, t('account.elsewhere'))),
  );
