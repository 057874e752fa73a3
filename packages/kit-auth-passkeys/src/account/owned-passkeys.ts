import { belongings, dayOf } from 'kit-auth/feature';
import { OWN, PASSKEY, type PasskeyInfo } from '../passkeys.api.js';
import { UserPasskeys } from './user-passkeys.js';

/** The passkeys of a user, for the user, administrators and the command line. */
export const ownedPasskeys = belongings({
  one: 'passkey',
  many: 'passkeys',
  verb: 'remove',
  store: UserPasskeys,
  view: PASSKEY,
  ownView: OWN,
  permissions: { read: 'auth:user:read', change: 'auth:user:write' },
  section: 'users',
  factor: { name: 'passkey', last: 'You could no longer log in. Add another passkey or a password first' },
  event: 'passkey-removed',
  detailOf: (removed, isAll) => (isAll ? `all ${removed.length}` : removed[0]?.name),
  endedBy: ({ type, endsFactors }) => (type === 'user-deleted' || endsFactors ? 'disabled' : undefined),
  summaries: {
    listOwn: "Lists the current user's passkeys",
    removeOwn: 'Removes a passkey, unless the user could no longer log in',
    list: "Lists a user's passkeys",
    removeAll: "Removes a user's passkeys and ends their sessions",
    remove: 'Removes a passkey of a user and ends their sessions',
  },
  command: {
    summaries: [
      'Lists the passkeys of a user, oldest first.',
      'Removes a passkey of a user, or all of them.',
    ],
    details:
      'The sessions of the user end. Publishes the event passkey-removed,\n' +
      'as DELETE users/{id}/passkeys does. A user without a password can then no longer log in.',
    columns: {
      ID: ({ id }: PasskeyInfo) => id,
      NAME: ({ name }) => name,
      DEVICES: ({ deviceType }) => deviceType,
      'BACKED UP': ({ backedUp }) => (backedUp ? 'yes' : 'no'),
      CREATED: ({ createdAt }) => dayOf(createdAt),
      'LAST USED': ({ lastUsedAt }) => dayOf(lastUsedAt),
    },
  },
});
