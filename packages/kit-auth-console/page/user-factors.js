// Second factors, passkeys and linked accounts of a user.
import { segment } from './api.js';
import { data, h } from './dom.js';
import { factorName, t, time } from './language.js';
import { askAboutOne, list, read, whyNotOwn } from './user-list.js';

export async function factorsTab(about) {
  const { factors, recoveryCodesLeft } = await read(about, 'factors');
  return [
    list({
      about,
      name: 'factors',
      rows: factors,
      columns: factorColumns(),
      all: about.can('DELETE users/{id}/factors') && {
        key: 'factors.remove',
        path: 'factors',
        consequence: 'factors.remove-consequence',
        done: 'factors.removed',
        why: whyNotOwn(about),
      },
    }),
    factors.length > 0 && h('p', { class: 'hint' }, t('factors.codes-left', { count: recoveryCodesLeft })),
  ];
}

export const factorColumns = () => [
  { label: t('factor.name'), cell: ({ name }) => data(name) },
  { label: t('factor.kind'), cell: ({ kind }) => factorName(kind) },
  { label: t('factor.used'), cell: ({ lastUsedAt }) => time(lastUsedAt) },
  { label: t('factor.created'), className: 'wide', cell: ({ createdAt }) => time(createdAt) },
];

export const passkeysTab = async (about) =>
  list({
    about,
    name: 'passkeys',
    rows: await read(about, 'passkeys'),
    columns: passkeyColumns(),
    ...removals(about, 'passkeys', 'passkeyId', ({ name }) => name),
  });

export const passkeyColumns = () => [
  { label: t('factor.name'), cell: ({ name }) => data(name) },
  { label: t('factor.used'), cell: ({ lastUsedAt }) => time(lastUsedAt) },
  { label: t('factor.created'), className: 'wide', cell: ({ createdAt }) => time(createdAt) },
  { label: t('passkeys.backed-up'), className: 'wide', cell: ({ backedUp }) => t(backedUp ? 'yes' : 'no') },
];

export const identitiesTab = async (about) =>
  list({
    about,
    name: 'identities',
    rows: await read(about, 'identities'),
    columns: identityColumns(),
    ...removals(about, 'identities', 'identityId', ({ title }) => title),
  });

export const identityColumns = () => [
  { label: t('identities.provider'), cell: ({ title }) => data(title) },
  { label: t('identities.address'), cell: ({ address }) => address && data(address) },
  { label: t('factor.used'), cell: ({ lastUsedAt }) => time(lastUsedAt) },
  { label: t('factor.created'), className: 'wide', cell: ({ createdAt }) => time(createdAt) },
];

/** The removal of one entry, and of all. Both ask first, because the sessions of the user end. */
function removals(about, what, parameter, nameOf) {
  const why = whyNotOwn(about);
  const one = {
    key: 'remove',
    why: () => why,
    ask: (row) =>
      askAboutOne(about, {
        name: nameOf(row),
        title: `${what}.remove`,
        action: 'remove',
        consequence: `${what}.remove-consequence`,
        path: `${what}/${segment(row.id)}`,
        done: `${what}.removed`,
      }),
  };
  const all = {
    key: `${what}.remove-all`,
    path: what,
    consequence: `${what}.remove-all-consequence`,
    done: `${what}.removed-all`,
    why,
  };
  const path = `DELETE users/{id}/${what}`;
  return { one: about.can(`${path}/{${parameter}}`) && one, all: about.can(path) && all };
}
