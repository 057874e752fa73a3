// Lists of what belongs to a user.
import { can, isMe } from './access.js';
import { call } from './api.js';
import { actionButton } from './buttons.js';
import { data, h } from './dom.js';
import { ask } from './dialogs.js';
import { parts, t } from './language.js';
import { run } from './notices.js';
import { actionColumn, table } from './tables.js';

/**
 * A list of the user, with a button for each entry, and one for all of them.
 *
 * @param {object[] | undefined} options.rows undefined if the viewer may end them, but not read them
 */
export function list({ about, name, rows, columns, one, all }) {
  const removal =
    one &&
    actionColumn((row) =>
      actionButton(t(one.key), ({ currentTarget }) => void (one.ask ?? runOne)(row, currentTarget), {
        small: true,
        why: one.why?.(row),
      }),
    );
  const runOne = (row, button) =>
    run(button, () => about.change(() => call('DELETE', `${about.path}/${one.path(row)}`), one.done));
  return h(
    'div',
    {},
    rows &&
      table({
        caption: t(`tab.${name}`),
        columns: removal ? [...columns, removal] : columns,
        rows,
        empty: t(`${name}.none`),
      }),
    all && rows?.length !== 0 && h('div', { class: 'actions' }, allButton(about, all)),
  );
}

function allButton({ user, path, change }, { key, path: target, consequence, done, why }) {
  const dialog = () =>
    ask({
      title: t(key),
      text: [parts('dialog.about', { name: data(user.username) }), t(consequence)],
      action: t(key),
      isDangerous: true,
      submit: () => change(() => call('DELETE', `${path}/${target}`), done),
    });
  return actionButton(t(key), dialog, { isDangerous: true, why });
}

/** Asks before one entry of a user ends. @param entry its `name`; the keys of the texts `title`, `action`, `consequence` and `done`; `path` */
export const askAboutOne = ({ user, path, change }, entry) =>
  ask({
    title: t(entry.title),
    text: [parts('dialog.about', { name: data(user.username) }), data(entry.name), t(entry.consequence)],
    action: t(entry.action),
    isDangerous: true,
    submit: () => change(() => call('DELETE', `${path}/${entry.path}`), entry.done),
  });

/** Undefined if the viewer may not read it, although perhaps remove it. @param {string} what the end of the path */
export const read = ({ path, signal }, what) =>
  can(`GET users/{id}/${what}`) ? call('GET', `${path}/${what}`, undefined, { signal }) : undefined;

/** Ending everything on the own account would end this login, too. The page of the own account keeps it. */
export const whyNotOwn = ({ user }) => (isMe(user.userId) ? t('self.account') : undefined);
