// The sessions and the keys of a user.
import { can, has } from './access.js';
import { call, NOT_IMPLEMENTED, segment } from './api.js';
import { codes, data, h, plain } from './dom.js';
import { deviceOf } from './device.js';
import { t, time } from './language.js';
import { askAboutOne, list, read, whyNotOwn } from './user-list.js';

export async function sessionsTab(about) {
  const { path, signal } = about;
  const rows = can('GET users/{id}/sessions') ? await readSessions(`${path}/sessions`, signal) : undefined;
  const buttons = list({
    about,
    name: 'sessions',
    rows,
    columns: sessionColumns(),
    one: about.can('DELETE users/{id}/sessions/{sessionId}') && {
      key: 'sessions.end',
      path: ({ id }) => `sessions/${segment(id)}`,
      done: 'sessions.ended',
      why: ({ current }) => (current ? t('self.session') : undefined),
    },
    all: about.can('DELETE users/{id}/sessions') && {
      key: 'sessions.end-all',
      path: 'sessions',
      consequence: has('DELETE users/{id}/keys') ? 'sessions.end-all-keys' : 'sessions.end-all-consequence',
      done: 'sessions.ended-all',
      why: whyNotOwn(about),
    },
  });
  return [can('GET users/{id}/sessions') && rows === undefined && sessionsUnknown(), buttons];
}

/** The latest first. Undefined if the implementation only ends sessions, and does not know them. */
export async function readSessions(path, signal) {
  try {
    return (await call('GET', path, undefined, { signal })).reverse();
  } catch (error) {
    if (error.code !== NOT_IMPLEMENTED) {
      throw error;
    }
    return undefined;
  }
}

export const sessionsUnknown = () => h('p', { class: 'muted' }, t('sessions.unknown'));

export const sessionColumns = () => [
  {
    label: t('session.agent'),
    cell: ({ userAgent, current }) => [
      deviceOf(userAgent) ?? t('unknown'),
      current && [' ', h('span', { class: 'tag' }, t('session.current'))],
      userAgent && h('span', { class: 'under agent', title: plain(userAgent) }, data(userAgent)),
    ],
  },
  { label: t('session.address'), className: 'address', cell: ({ address }) => address && data(address) },
  { label: t('session.seen'), cell: ({ lastSeenAt }) => time(lastSeenAt) },
  { label: t('session.created'), className: 'wide', cell: ({ createdAt }) => time(createdAt) },
  { label: t('session.expires'), className: 'wide', cell: ({ expiresAt }) => time(expiresAt) },
];

export async function keysTab(about) {
  return list({
    about,
    name: 'keys',
    rows: await read(about, 'keys'),
    columns: keyColumns(),
    one: about.can('DELETE users/{id}/keys/{keyId}') && {
      key: 'keys.end',
      ask: ({ id, name }) =>
        askAboutOne(about, {
          name,
          title: 'keys.end-one',
          action: 'keys.end',
          consequence: 'keys.end-consequence',
          path: `keys/${segment(id)}`,
          done: 'keys.ended',
        }),
    },
    all: about.can('DELETE users/{id}/keys') && {
      key: 'keys.end-all',
      path: 'keys',
      consequence: 'keys.end-all-consequence',
      done: 'keys.ended-all',
    },
  });
}

export const keyColumns = () => [
  { label: t('factor.name'), cell: ({ name }) => data(name) },
  { label: t('keys.abilities'), cell: ({ abilities }) => codes(abilities) },
  {
    label: t('factor.used'),
    cell: ({ lastUsedAt, lastAddress }) => [
      time(lastUsedAt),
      lastAddress && h('span', { class: 'under' }, data(lastAddress)),
    ],
  },
  { label: t('expires'), className: 'wide', cell: ({ expiresAt }) => time(expiresAt) },
];
