import type { AuthEvent, SessionEndReason } from 'kit-auth';
import { belongings, dayOf } from 'kit-auth/feature';
import { KEY, type KeyInfo } from './keys.api.js';
import { idOfKey, isKeyId } from './keys/key-token.js';
import { KeyStore } from './stores/key.store.js';

/** The keys of a user, for the user, administrators and the command line. */
export const ownedKeys = belongings({
  one: 'key',
  many: 'keys',
  verb: 'end',
  store: KeyStore,
  view: KEY,
  permissions: { read: 'auth:session:read', change: 'auth:session:end' },
  section: 'keys',
  event: 'key-ended',
  detailOf: (ended, isAll) => `${isAll ? 'all: ' : ''}${ended.map(({ id }) => id).join(', ')}`,
  endedBy,
  isId: isKeyId,
  summaries: {
    listOwn: "Lists the current user's API keys",
    removeOwn: 'Ends an API key of the current user',
    list: "Lists a user's API keys",
    removeAll: 'Ends all API keys of a user',
    remove: 'Ends an API key of a user',
  },
  command: {
    summaries: [
      'Lists the live API keys of a user, oldest first.',
      'Ends an API key of a user, or all of them.',
    ],
    details:
      'To end a key that has leaked, you can pass the key itself.\n' +
      'With kit.auth.keys.cacheSeconds, running applications accept the key until they look it up again. Publishes the\n' +
      'event key-ended, as DELETE users/{id}/keys does.',
    columns: {
      ID: ({ id }: KeyInfo) => id,
      NAME: ({ name }) => name,
      ABILITIES: ({ abilities }) => abilities.join(' ') || '-',
      CREATED: ({ createdAt }) => dayOf(createdAt),
      EXPIRES: ({ expiresAt }) => dayOf(expiresAt),
      'LAST USED': ({ lastUsedAt }) => dayOf(lastUsedAt),
    },
    idFrom: (text) => idOfKey(text) ?? text,
    // A string that is not an id may be a part of a key, so it is not shown.
    nameOf: (id) => (isKeyId(id) ? `live key ${id}` : 'key of this id'),
  },
});

/** Events that end keys even without `endsKeys`. */
const ALWAYS: ReadonlySet<string> = new Set(['password-reset', 'user-deleted']);
/** The reason that the next request with the key gets. Default: `kicked`. */
const REASONS: Readonly<Record<string, SessionEndReason>> = {
  'password-reset': 'password-changed',
  'password-changed': 'password-changed',
  'user-deleted': 'disabled',
};

/** Keys end after a password reset, when their owner is disabled or deleted, and after events with `endsKeys`. */
function endedBy({ type, endsKeys }: AuthEvent): SessionEndReason | undefined {
  if (!endsKeys && !ALWAYS.has(type)) {
    return undefined;
  }
  return typeof endsKeys === 'string' ? endsKeys : (REASONS[type] ?? 'kicked');
}
