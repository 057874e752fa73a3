/** What a user can do in a section. */
export type Verb = 'read' | 'write' | 'end';

export const SECTIONS = ['users', 'roles', 'sessions', 'keys', 'audit', 'invitations'] as const;
export type Section = (typeof SECTIONS)[number];

interface Endpoint {
  /** By method and path below `/v1/api/auth/`, with `{}` for each parameter. */
  readonly path: string;
  readonly section: Section;
  readonly verb: Verb;
}

/** The administrative endpoints that the page uses, by the feature that they are. */
export const ADMINISTRATIVE: Readonly<Record<string, Endpoint>> = {
  users: { path: 'GET users', section: 'users', verb: 'read' },
  user: { path: 'GET users/{}', section: 'users', verb: 'read' },
  'user-create': { path: 'POST users', section: 'users', verb: 'write' },
  'user-status': { path: 'PATCH users/{}', section: 'users', verb: 'write' },
  'user-roles': { path: 'PUT users/{}/roles', section: 'users', verb: 'write' },
  'user-password': { path: 'POST users/{}/password', section: 'users', verb: 'write' },
  'user-unlock': { path: 'POST users/{}/unlock', section: 'users', verb: 'write' },
  'user-delete': { path: 'DELETE users/{}', section: 'users', verb: 'write' },
  'reset-link': { path: 'POST users/{}/reset-link', section: 'users', verb: 'write' },
  factors: { path: 'GET users/{}/factors', section: 'users', verb: 'read' },
  'factors-remove': { path: 'DELETE users/{}/factors', section: 'users', verb: 'write' },
  passkeys: { path: 'GET users/{}/passkeys', section: 'users', verb: 'read' },
  'passkeys-remove': { path: 'DELETE users/{}/passkeys', section: 'users', verb: 'write' },
  'passkey-remove': { path: 'DELETE users/{}/passkeys/{}', section: 'users', verb: 'write' },
  identities: { path: 'GET users/{}/identities', section: 'users', verb: 'read' },
  'identities-remove': { path: 'DELETE users/{}/identities', section: 'users', verb: 'write' },
  'identity-remove': { path: 'DELETE users/{}/identities/{}', section: 'users', verb: 'write' },
  roles: { path: 'GET roles', section: 'roles', verb: 'read' },
  'role-create': { path: 'POST roles', section: 'roles', verb: 'write' },
  'role-change': { path: 'PATCH roles/{}', section: 'roles', verb: 'write' },
  'role-delete': { path: 'DELETE roles/{}', section: 'roles', verb: 'write' },
  sessions: { path: 'GET users/{}/sessions', section: 'sessions', verb: 'read' },
  'sessions-end': { path: 'DELETE users/{}/sessions', section: 'sessions', verb: 'end' },
  'session-end': { path: 'DELETE users/{}/sessions/{}', section: 'sessions', verb: 'end' },
  keys: { path: 'GET users/{}/keys', section: 'keys', verb: 'read' },
  'keys-end': { path: 'DELETE users/{}/keys', section: 'keys', verb: 'end' },
  'key-end': { path: 'DELETE users/{}/keys/{}', section: 'keys', verb: 'end' },
  audit: { path: 'GET audit', section: 'audit', verb: 'read' },
  invitations: { path: 'GET invitations', section: 'invitations', verb: 'read' },
  'invitation-create': { path: 'POST invitations', section: 'invitations', verb: 'write' },
  'invitation-cancel': { path: 'DELETE invitations/{}', section: 'invitations', verb: 'write' },
};

/** The endpoints of the page's own user. */
export const OWN: Readonly<Record<string, string>> = {
  'login-factor': 'POST login/factor',
  'login-passkey': 'POST login/passkey',
  'own-password': 'POST password',
  'own-sessions': 'GET sessions',
  'own-factors': 'GET factors',
  'own-passkeys': 'GET passkeys',
  'own-identities': 'GET identities',
  'own-keys': 'GET keys',
  email: 'GET email',
};

/** Features that the implementation may lack although their routes exist: they answer 50100 then. */
export const OF_LIVE_LOGINS: ReadonlySet<string> = new Set([
  'sessions',
  'sessions-end',
  'session-end',
  'own-sessions',
]);
