// One user: the account, and a tab for each thing that belongs to it.
import { can, has, hasUserPages, isMe } from './access.js';
import { call, CONFLICT, NOT_FOUND, segment } from './api.js';
import { code, data, h } from './dom.js';
import { language, t } from './language.js';
import { notify } from './notices.js';
import { heading, link, outdated, reload } from './router.js';
import { accountTab } from './user-account.js';
import { readRoles } from './roles.js';
import { rolesTab } from './user-roles.js';
import { eventsTab } from './events.js';
import { factorsTab, identitiesTab, passkeysTab } from './user-factors.js';
import { keysTab, sessionsTab } from './user-sessions.js';
import { backToUsers, statusTags, userPath } from './users.js';

/** `isThere` says whether the application and the permissions of the user have the tab. */
const TABS = [
  { name: 'roles', view: rolesTab, isThere: () => has('PUT users/{id}/roles') && can('GET users/{id}') },
  {
    name: 'sessions',
    view: sessionsTab,
    isThere: () => can('GET users/{id}/sessions') || can('DELETE users/{id}/sessions'),
  },
  { name: 'factors', view: factorsTab, isThere: () => can('GET users/{id}/factors') },
  { name: 'passkeys', view: passkeysTab, isThere: () => can('GET users/{id}/passkeys') },
  {
    name: 'keys',
    view: keysTab,
    isThere: (about) => about.can('GET users/{id}/keys') || about.can('DELETE users/{id}/keys'),
  },
  { name: 'identities', view: identitiesTab, isThere: () => can('GET users/{id}/identities') },
  { name: 'events', view: eventsTab, isThere: () => can('GET audit') },
];

const NO_REACH = { account: false, belongings: false };
/** Endpoints for what a user has, not for the account. Of those that read, only the one for keys refuses other users. */
const BELONGINGS = /^GET users\/{id}\/keys$|^DELETE users\/{id}\/(keys|factors|passkeys|identities)/;

/** The user as the page was read, to name concurrent changes. */
let before;

export async function userPage({ id, tab = 'account' }, _query, signal) {
  const path = `users/${segment(id)}`;
  const [user, roles, reach] = await Promise.all([
    can('GET users/{id}') ? call('GET', path, undefined, { signal }) : { userId: id, username: id },
    readRoles(signal),
    hasUserPages() ? call('GET', `console/${path}`, undefined, { signal }) : NO_REACH,
  ]);
  /** The user, and the rights of the viewer over it. */
  const about = {
    ...{ user, roles, path, signal, change },
    isManaged: reach.account,
    can: (key) => can(key) && (BELONGINGS.test(key) ? reach.belongings : reach.account),
  };
  const tabs = TABS.filter(({ isThere }) => isThere(about));
  const chosen = tabs.find(({ name }) => name === tab);
  const content = chosen === undefined ? accountTab(about) : await chosen.view(about);
  before = user;
  const name = user.nickname || user.username;
  return {
    title: name,
    content: [
      backToUsers(),
      heading(can('GET users/{id}') ? data(name) : [t('user.id'), ' ', code(id)]),
      h(
        'p',
        { class: 'tags' },
        user.status !== undefined && statusTags(user),
        isMe(user.userId) && [' ', h('span', { class: 'tag' }, t('you'))],
      ),
      h(
        'nav',
        { class: 'tabs', 'aria-label': t('user.parts') },
        ['account', ...tabs.map((it) => it.name)].map((it) =>
          link(
            it === 'account' ? userPath(id) : `${userPath(id)}/${it}`,
            { 'aria-current': it === (chosen?.name ?? 'account') ? 'page' : undefined },
            t(`tab.${it}`),
          ),
        ),
      ),
      content,
    ],
  };
}

/**
 * Runs a change of the user, shows the new state, and says what was done. After a conflict, it says what others have
 * changed in the meantime.
 *
 * @param {string} done the key of the text
 * @param {object} [stale] the key of a text by code, for further refusals that mean that the page is out of date
 */
export async function change(work, done, stale = {}) {
  const former = before;
  try {
    await work();
  } catch (error) {
    if (![CONFLICT, NOT_FOUND].includes(error.code) && stale[error.code] === undefined) {
      throw error;
    }
    const shown = await outdated(error, stale);
    sayWhatChanged(former, before);
    throw shown;
  }
  await reload();
  notify(t(done));
}

function sayWhatChanged(old, now) {
  const changed = ['status', 'roles', 'nickname'].filter(
    (it) => JSON.stringify(old?.[it]) !== JSON.stringify(now?.[it]),
  );
  if (changed.length > 0) {
    const names = new Intl.ListFormat(language()).format(changed.map((it) => t(`user.${it}`)));
    document.querySelector('.notice.bad')?.append(h('p', {}, t('user.changed-meanwhile', { names })));
  }
}
