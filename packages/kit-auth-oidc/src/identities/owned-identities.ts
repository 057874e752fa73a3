import { belongings, dayOf } from 'kit-auth/feature';
import { IDENTITY, type IdentityInfo } from '../oidc.api.js';
import { UserIdentities } from './user-identities.js';

/** The identities of a user, for the user, administrators and the command line. */
export const ownedIdentities = belongings({
  one: 'identity',
  many: 'identities',
  verb: 'remove',
  store: UserIdentities,
  view: IDENTITY,
  permissions: { read: 'auth:user:read', change: 'auth:user:write' },
  section: 'users',
  factor: {
    name: 'oidc',
    last: 'You could no longer log in. Set a password, or link another identity first',
  },
  event: 'identity-removed',
  detailOf: (removed, isAll) => (isAll ? `all ${removed.length}` : removed[0]?.provider),
  endedBy: ({ type, endsFactors }) => (type === 'user-deleted' || endsFactors ? 'disabled' : undefined),
  summaries: {
    listOwn: "Lists the current user's identities at providers",
    removeOwn: 'Removes an identity, unless the user could no longer log in',
    list: "Lists a user's identities at providers",
    removeAll: "Removes a user's identities and ends their sessions",
    remove: 'Removes an identity of a user and ends their sessions',
  },
  command: {
    summaries: [
      'Lists the identities at providers with which a user logs in, oldest first.',
      'Removes an identity of a user, or all of them.',
    ],
    details:
      'The sessions of the user end. Publishes the event identity-removed,\n' +
      'as DELETE users/{id}/identities does. A user without a password can then no longer log in.',
    columns: {
      ID: ({ id }: IdentityInfo) => id,
      PROVIDER: ({ provider }) => provider,
      ADDRESS: ({ address }) => address ?? '',
      CREATED: ({ createdAt }) => dayOf(createdAt),
      'LAST USED': ({ lastUsedAt }) => dayOf(lastUsedAt),
    },
  },
});

declare module 'kit-auth' {
  interface AuthEventTypes {
    'identity-removed': true;
  }
}
