interface Person {
  readonly username: string;
  readonly nickname: string;
  /** Of roles. */
  readonly codes?: readonly string[];
}

const called = (username: string, nickname: string, ...codes: string[]): Person => ({
  username: `${username}@example.com`,
  nickname,
  codes,
});

export const NAMES: readonly Person[] = [
  called('anna.schmidt', 'Anna Schmidt', 'editor'),
  called('b.okafor', 'Blessing Okafor', 'reader'),
  called('c.lindqvist', 'Carl Lindqvist', 'support'),
  called('dana.novak', 'Dana Nováková', 'reader', 'billing'),
  called('hannah.vogel', 'Hannah Vogel', 'reader'),
  called('lena.brandt', 'Lena Brandt', 'reader'),
  called('m.hoffmann', 'Marie Hoffmann', 'editor', 'people-admin'),
  called('nora.becker', 'Nora Becker', 'auditor'),
  called('oliver.stone', 'Oliver Stone'),
  called('paul.weber', 'Paul Weber'),
];

/** Names that layouts break at. */
export const ODD_NAMES: readonly Person[] = [
  { username: 'ליאור.כהן', nickname: 'ליאור כהן (צוות)', codes: ['reader'] },
  { username: 'rocket', nickname: '🚀 Team Rakete 👩‍👩‍👧‍👦', codes: ['reader'] },
  { username: `${'donaudampfschiff'.repeat(15)}kapitaen-0815`.slice(0, 255), nickname: 'W'.repeat(255) },
  { username: 'empty', nickname: '' },
];

export const ROLES = [
  { code: 'reader', name: 'Reader', permissions: ['order:read', 'note:read'], includes: [] },
  { code: 'editor', name: 'Editor', permissions: ['note:*'], includes: ['reader'] },
  {
    code: 'support',
    name: 'Support desk',
    permissions: ['ticket:*', 'auth:user:read'],
    includes: ['reader'],
  },
  {
    code: 'billing',
    name: 'Billing',
    permissions: ['invoice:read', 'invoice:write', 'invoice:cancel', 'payment:read', 'dunning:read'],
    includes: ['reader'],
  },
  { code: 'auditor', name: 'Auditor', permissions: ['auth:audit:read', 'auth:user:read'], includes: [] },
  { code: 'people-admin', name: 'Administration of people', permissions: ['auth:*'], includes: ['support'] },
];

/** What devices call themselves, and where they are. */
export const AGENTS: readonly (readonly [string, string])[] = [
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    '198.51.100.23',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    '2001:db8:4a:1f:a0c1:22ff:fe3b:2c',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', '203.0.113.80'],
];

/** Type, whether it succeeded, whether an administrator did it, and details. */
export const EVENTS: readonly (readonly [string, boolean, boolean, string | null])[] = [
  ['login', true, false, null],
  ['login', true, false, 'passkey'],
  ['login-failed', false, false, 'wrong password'],
  ['logout', true, false, null],
  ['login', true, false, null],
  ['user-roles-changed', true, true, 'reader, editor'],
  ['factor-added', true, false, 'totp: Phone'],
  ['access-denied', false, false, 'GET /v1/invoices/2026-0815/lines needs invoice:read'],
  ['password-changed', true, false, null],
  ['sessions-ended', true, true, null],
  ['key-created', true, false, 'Nightly export'],
];
