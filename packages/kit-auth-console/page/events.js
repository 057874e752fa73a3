// Rows of the audit log.
import { call, queryOf } from './api.js';
import { data, h } from './dom.js';
import { eventName, t, timeText } from './language.js';
import { announce } from './notices.js';
import { link } from './router.js';
import { table } from './tables.js';
import { userPath } from './users.js';
import { can } from './access.js';

export function eventRows(rows) {
  return table({ caption: t('audit'), rows, empty: t('audit.none'), columns: COLUMNS() });
}

const COLUMNS = () => [
  { label: t('audit.at'), className: 'fit', cell: ({ at }) => timeButton(at) },
  {
    label: t('audit.type'),
    className: 'event',
    cell: ({ type, success }) => [!success && failedMark(), eventName(type)],
  },
  { label: t('audit.actor'), className: 'name', cell: ({ actor, actorId }) => person(actor, actorId) },
  {
    label: t('audit.subject'),
    className: 'name',
    cell: ({ subject, subjectId }) => person(subject, subjectId),
  },
  { label: t('audit.detail'), cell: ({ detail }) => detail && data(detail) },
  { label: t('audit.address'), className: 'address', cell: ({ address }) => address && data(address) },
];

const failedMark = () =>
  h(
    'span',
    { class: 'failed' },
    h('span', { 'aria-hidden': 'true' }, '✕ '),
    h('span', { class: 'sr-only' }, t('audit.failed'), ' '),
  );

function person(name, id) {
  if (name === null) {
    return undefined;
  }
  const isLinked = id !== null && can('GET users/{id}');
  return isLinked ? link(userPath(id), {}, data(name)) : data(name);
}

/** The time in the zone of the viewer. A click copies it in ISO 8601. */
function timeButton(iso) {
  const copy = async ({ currentTarget }) => {
    await navigator.clipboard.writeText(iso);
    currentTarget.dataset.copied = '';
    announce(t('audit.copied'));
  };
  const text = h('time', { datetime: iso }, timeText(iso, true));
  // Only pages of HTTPS and of this computer have it.
  if (navigator.clipboard === undefined) {
    return text;
  }
  return h(
    'button',
    { type: 'button', class: 'copy', title: t('audit.copy'), onclick: (event) => void copy(event) },
    text,
  );
}

export async function eventsTab({ user, signal }) {
  const [did, happened] = await Promise.all(
    ['actor', 'subject'].map((role) =>
      call('GET', `audit${queryOf({ [role]: user.userId, size: 20 })}`, undefined, { signal }),
    ),
  );
  // The filters also find a user whose name is this id.
  const isAbout = ({ actorId, subjectId }) => [actorId, subjectId].map(String).includes(String(user.userId));
  const all = new Map([...did.items, ...happened.items].filter(isAbout).map((it) => [it.id, it]));
  const rows = [...all.values()].sort((a, b) => b.id - a.id).slice(0, 20);
  const more = (role, key) => link(`audit${queryOf({ [role]: user.username })}`, { class: 'button' }, t(key));
  return [
    eventRows(rows),
    h('div', { class: 'actions' }, more('subject', 'events.about'), more('actor', 'events.by')),
  ];
}
