import { describe, expect, it } from '@jest/globals';
import { hasPermission } from 'kit-auth';
import { ModulePage, type PageAnswer } from 'test-support';
import { type Section, SECTIONS, type Verb } from '../access/console.api.js';
import { readAssets } from '../files/assets.js';

const { files } = readAssets({ languages: ['en', 'de'] }, false);
const FILES = new Map([...files].map(([name, { content }]) => [name, content]));

/** Administrative endpoints of packages, each with its section. */
const ADMINISTRATIVE: readonly (readonly [key: string, section: Section])[] = [
  ...['GET users', 'GET users/{id}', 'POST users', 'PATCH users/{id}', 'PUT users/{id}/roles'],
  ...[
    'POST users/{id}/password',
    'POST users/{id}/unlock',
    'DELETE users/{id}',
    'POST users/{id}/reset-link',
  ],
  ...['GET users/{id}/factors', 'DELETE users/{id}/factors', 'GET users/{id}/passkeys'],
  ...['DELETE users/{id}/passkeys', 'DELETE users/{id}/passkeys/{passkeyId}', 'GET users/{id}/identities'],
  ...['DELETE users/{id}/identities', 'DELETE users/{id}/identities/{identityId}', 'GET roles', 'POST roles'],
  ...['PATCH roles/{code}', 'DELETE roles/{code}', 'GET users/{id}/sessions', 'DELETE users/{id}/sessions'],
  ...['DELETE users/{id}/sessions/{sessionId}', 'GET users/{id}/keys', 'DELETE users/{id}/keys'],
  ...['DELETE users/{id}/keys/{keyId}', 'GET audit', 'GET invitations', 'POST invitations'],
  'DELETE invitations/{id}',
].map(
  (key) => [key, /\/(sessions|keys)/.exec(key)?.[1] ?? /\w+$/.exec(key.split('/')[0]!)![0]] as const,
) as [];
const OWN = [
  ...['POST login/factor', 'POST login/passkey', 'POST password', 'GET sessions', 'GET factors'],
  ...['GET passkeys', 'GET identities', 'GET keys', 'GET email'],
];

const isEnded = (section: Section) => section === 'sessions' || section === 'keys';
const verbOf = (key: string, section: Section): Verb =>
  key.startsWith('GET ') ? 'read' : isEnded(section) ? 'end' : 'write';
/** Sections whose permission has another name. */
const PERMISSIONS: Readonly<Partial<Record<Section, (verb: Verb) => string>>> = {
  keys: (verb) => `auth:session:${verb}`,
  invitations: () => 'auth:user:write',
  audit: () => 'auth:audit:read',
};
const permissionFor = (section: Section, verb: Verb) =>
  PERMISSIONS[section]?.(verb) ?? `auth:${section.slice(0, -1)}:${verb}`;

/** What `GET console` answers to a user with these permissions, where the application lacks some endpoints. */
function accessOf(permissions: readonly string[], lacking: RegExp = /^$/) {
  const superAdmin = permissions.includes('super');
  const grants = { superAdmin, permissions: [...permissions] };
  const there = ADMINISTRATIVE.filter(([key]) => !lacking.test(key));
  const can = there.filter(([key, section]) =>
    hasPermission(grants, permissionFor(section, verbOf(key, section))),
  );
  const own = OWN.filter((key) => !lacking.test(key));
  const features = [...there.map(([key]) => key), ...own];
  const allowed = [...can.map(([key]) => key), ...own];
  const verbsOf = (section: Section) =>
    new Set(can.flatMap(([key, it]) => (it === section ? [verbOf(key, section)] : [])));
  return {
    user: { userId: 1, username: 'chief', nickname: 'The chief', superAdmin },
    permissions: permissions.filter((it) => it.startsWith('auth:')),
    sections: Object.fromEntries(SECTIONS.map((it) => [it, [...verbsOf(it)]])),
    ...{ features, allowed, idType: 'number', freshAdmin: true, password: { minLength: 8 } },
    ...{ languages: ['en', 'de'], version: '0.1.0' },
  };
}

const ADA = {
  ...{ userId: 17, username: 'ada', nickname: 'Ada', status: 'ENABLED', superAdmin: false, roles: ['plain'] },
  ...{ mustChangePassword: false, lockedUntil: null as string | null, lastLoginAt: null },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
};
const ROLES = [
  { code: 'plain', name: 'Plain', permissions: ['note:read'], includes: [] },
  { code: 'helper', name: 'Helper', permissions: ['auth:user:read'], includes: [] },
  { code: 'outer', name: 'Outer', permissions: [], includes: ['helper'] },
  { code: 'SUPER_ADMIN', name: 'All', permissions: [], includes: [] },
];
const NAMED = { id: 'x1', name: 'Phone', title: 'Phone', abilities: ['note:read'], kind: 'totp' };

/** A server with one user who has one of everything. Tests replace some answers. */
class Server {
  readonly answers: Record<string, PageAnswer | (() => PageAnswer | Promise<PageAnswer>)> = {
    'GET users': [200, { items: [ADA], page: 1, size: 20, total: 1 }],
    'GET users/17': [200, ADA],
    'GET users/1': [200, { ...ADA, userId: 1, username: 'chief', roles: ['helper'] }],
    'GET console/users/17': [200, { account: true, belongings: true }],
    'GET console/users/1': [200, { account: true, belongings: true }],
    'GET roles': [200, ROLES],
    'GET users/17/sessions': [200, [{ id: 's1', current: false }]],
    'GET users/17/factors': [200, { factors: [NAMED], recoveryCodesLeft: 1 }],
    'GET users/17/passkeys': [200, [NAMED]],
    'GET users/17/keys': [200, [NAMED]],
    'GET users/17/identities': [200, [NAMED]],
    'GET sessions': [200, [NAMED, { ...NAMED, current: true }]],
    'GET factors': [200, { factors: [NAMED] }],
    'GET passkeys': [200, [NAMED]],
    'GET keys': [200, [NAMED]],
    'GET identities': [200, [NAMED]],
    'GET email': [200, { email: 'chief@example.com' }],
    'GET audit': [200, { items: [], page: 1, size: 20, total: 0 }],
    'GET invitations': [200, [{ id: 'i1', email: 'a@example.com', roles: [] }]],
  };
  page!: ModulePage;

  constructor(private readonly access: ReturnType<typeof accessOf>) {}

  async open(path = '', storage: Record<string, string> = {}): Promise<this> {
    this.page = new ModulePage({
      files: FILES,
      meta: { api: '../', home: '/start', languages: 'en de' },
      storage,
      answer: async (call) => {
        const known = this.answers[call] ?? this.answers[call.replace(/\?.*/, '')];
        const answer = typeof known === 'function' ? await known() : known;
        return known !== undefined ? answer : call === 'GET console' ? [200, this.access] : [204];
      },
    });
    this.page.location.href += path;
    void this.page.load('page.js');
    await this.page.settle();
    return this;
  }

  /** What is sent from now on, but for what only reads. */
  async sent(work: () => unknown): Promise<string[]> {
    this.page.calls.length = 0;
    await work();
    await this.page.settle();
    return this.page.calls.filter((it) => !it.startsWith('GET'));
  }
}

const open = (path = '', permissions: readonly string[] = ['super'], lacking?: RegExp) =>
  new Server(accessOf(permissions, lacking)).open(path);

describe('an address of the console', () => {
  it.each<[path: string, heading: string]>([
    ['', 'Users'],
    ['users/', 'Users'],
    ['users/~new', 'New user'],
    ['users/17/sessions', 'Ada'],
    ['roles/plain', 'Plain'],
    ['roles/~new', 'New role'],
    ['invitations/~new', 'Invite'],
    ['audit', 'Audit log'],
    ['account', 'Your account'],
    ['roles/nobody', 'This entry no longer exists'],
    ['users/..', 'This entry no longer exists'],
    ['nothing/here', 'This page does not exist'],
    ['users/%zz', 'This page does not exist'],
    ['users/17/sessions/x', 'This page does not exist'],
  ])('"%s" shows %s', async (path, heading) => {
    const { page } = await open(path);
    expect(page.texts('main h1')).toEqual([heading]);
    expect(page.path).toBe(path === '' ? 'users' : path);
    expect(page.calls.filter((call) => /[/]\.|%2E/i.test(call))).toEqual([]);
  });

  it.each<[missing: string, path: string]>([
    ['GET roles', 'roles'],
    ['POST roles', 'roles/~new'],
    ['POST users', 'users/~new'],
    ['GET invitations', 'invitations'],
    ['POST invitations', 'invitations/~new'],
    ['GET audit', 'audit'],
  ])('without %s, "%s" shows that it may not be seen, and asks for nothing', async (missing, path) => {
    const lacking = new RegExp(`^(${missing}${missing === 'GET roles' ? '|POST roles' : ''})$`);
    const { page } = await open(path, ['super'], lacking);
    expect(page.texts('main h1')).toEqual(['You may not see this page']);
    expect(page.calls).toEqual(['GET console']);
  });

  it.each(['..', '.', 'a.b', '~', '~d', 'a/b', '%', '=x y', 'ä', '~t.'])(
    'keeps the code %j',
    async (code) => {
      const { page } = await open('roles');
      const { rolePath } = await page.load('roles.js');
      const path = rolePath(code) as string;
      expect(path.slice('roles/'.length)).toMatch(/^[^/?#]+$/);
      const server = new Server(accessOf(['super']));
      server.answers['GET roles'] = [200, [{ code, name: 'Odd', permissions: [], includes: [] }]];
      expect((await server.open(path)).page.texts('main h1')).toEqual(['Odd']);
    },
  );

  it.each<[from: string, act: (page: ModulePage) => unknown, to: string]>([
    ['users', (page) => page.fill({ q: 'a d' }).press('Search'), 'users?q=a+d'],
    [
      'users?q=x&page=3',
      (page) => {
        page.fill({ role: 'plain' }).find('#filter-role').fire('change');
      },
      'users?q=x&role=plain',
    ],
    ['users?q=x', (page) => page.press('Clear filters'), 'users'],
    ['users', (page) => page.press('ada'), 'users/17'],
    ['users/17/events', (page) => page.press('All events about this user'), 'audit?subject=ada'],
    ['users/17/events', (page) => page.press('All events by this user'), 'audit?actor=ada'],
    ['roles', (page) => page.press('Code'), 'roles?sort=-code'],
    ['roles?sort=-code', (page) => page.press('Code'), 'roles?sort=code'],
    ['roles/plain', (page) => page.press('Users with this role'), 'users?role=plain'],
    [
      'audit?page=2',
      (page) => page.fill({ actor: 'ada', type: 'login', from: '2020-01-01T00:00' }).press('Search'),
      'audit?actor=ada&type=login&from=2020-01-01T00%3A00',
    ],
  ])('"%s" leads on', async (from, act, to) => {
    const { page } = await open(from);
    await act(page);
    await page.settle();
    expect(page.path.split('?')[0]).toBe(to.split('?')[0]);
    const queryOf = (path: string) => Object.fromEntries(new URLSearchParams(path.split('?')[1]));
    expect(queryOf(page.path)).toEqual(queryOf(to));
  });

  it('leads back to the list as it was', async () => {
    const { page } = await open('users?q=ada&status=ENABLED');
    await page.press('ada');
    await page.press('Users', 'a.back');
    expect(page.path).toBe('users?q=ada&status=ENABLED');
  });

  it('is in the title, and its part of the navigation is marked', async () => {
    const { page } = await open('users/17/sessions');
    const { title } = (await page.load('settings.js')) as { title: string };
    expect(title).toBe('Administration');
    expect(page.texts('[aria-current=page]')).toEqual(['Users', 'Sessions']);
  });

  it('asks for what its query says, and never for more than a page', async () => {
    const { page } = await open('users?q=a&status=DISABLED&role=plain&page=2&size=100000&x=y');
    expect(page.calls).toContain('GET users?q=a&role=plain&status=DISABLED&page=2&size=20');
    await page.go('audit?subject=ada&type=login&from=2020-01-01T00:00Z&to=never&size=50');
    expect(page.calls.at(-1)).toBe(
      'GET audit?subject=ada&type=login&from=2020-01-01T00%3A00%3A00.000Z&to=never&page=1&size=50',
    );
  });

  it('that is left while it loads shows nothing', async () => {
    const server = new Server(accessOf(['super']));
    let finish: (answer: PageAnswer) => void = () => undefined;
    server.answers['GET audit'] = () => new Promise((resolve) => (finish = resolve));
    const { page } = await server.open('users');
    const left = page.go('audit');
    await new Promise((resolve) => setImmediate(resolve));
    const chosen = page.go('roles');
    finish([200, { items: [], page: 1, size: 20, total: 0 }]);
    await Promise.all([left, chosen]);
    expect(page.texts('main h1')).toEqual(['Roles']);
  });
});

/** Who may do what, and what is offered then: the pages, the tabs of a user, and the buttons there. */
const READ_USERS = 'Account, Roles, Second factors, Passkeys, Linked accounts';
const SESSIONS = 'Account, Sessions, API keys';
const ACCOUNT = 'Send link for a new password, Set new password, Disable, Delete user';
const RIGHTS: [permissions: string, pages: string, tabs: string, buttons: Record<string, string>][] = [
  ['auth:user:read', 'Users', READ_USERS, { '': '', factors: '', passkeys: '', identities: '', roles: '' }],
  ['auth:user:write', 'Users, Invitations', 'Account', { '': ACCOUNT }],
  [
    'auth:user:read auth:user:write',
    'Users, Invitations',
    READ_USERS,
    {
      '': `Change display name, ${ACCOUNT}`,
      roles: 'Save',
      factors: 'Remove second factors',
      passkeys: 'Remove, Remove all passkeys',
      identities: 'Remove, Remove all linked accounts',
    },
  ],
  ['auth:session:read', 'Users', SESSIONS, { '': '', sessions: '', keys: '' }],
  [
    'auth:session:end',
    'Users',
    SESSIONS,
    { '': '', sessions: 'End all sessions', keys: 'Revoke all API keys' },
  ],
  [
    'auth:session:read auth:session:end',
    'Users',
    SESSIONS,
    { sessions: 'End, End all sessions', keys: 'Revoke, Revoke all API keys' },
  ],
  ['auth:role:read', 'Roles', 'Account', { '': '' }],
  ['auth:role:read auth:role:write', 'Roles', 'Account', { '': '' }],
  ['auth:audit:read', 'Audit log', 'Account, Events', { events: '' }],
];
const BEYOND = 'You cannot change this user, who has rights that you do not have.';

/** What cannot be pressed or chosen. */
const off = (page: ModulePage, selector = 'main button') => page.all(selector).filter((it) => it.disabled);

describe('administrators', () => {
  it.each(RIGHTS)('with %s see what they may do', async (permissions, pages, tabs, buttons) => {
    const { page } = await open('users/17', permissions.split(' '));
    const textOf = (selector: string) => page.texts(selector).join(', ');
    expect([textOf('header nav a'), textOf('main nav.tabs a')]).toEqual([`${pages}, Your account`, tabs]);
    for (const [tab, expected] of Object.entries(buttons)) {
      await page.go(`users/17/${tab}`);
      expect([tab, textOf('main button')]).toEqual([tab, expected]);
    }
    expect(page.texts('.notice')).toEqual([]);
  });

  it.each<[permissions: string, list: string[], role: string[]]>([
    ['auth:role:read', [], []],
    ['auth:role:read auth:role:write', ['New role'], ['Delete role', 'Save', 'Cancel']],
  ])('with %s see this of roles', async (permissions, list, role) => {
    const { page } = await open('roles', permissions.split(' '));
    expect(page.texts('main .heading a')).toEqual(list);
    await page.go('roles/plain');
    expect(page.texts('main button, main .form-actions a')).toEqual(role);
    await page.go('roles/helper'); // has rights that the viewer lacks
    expect(page.texts('main button')).toEqual([]);
  });

  it('see no button for users with more rights, and are told why', async () => {
    const server = new Server(
      accessOf(['auth:user:read', 'auth:user:write', 'auth:session:read', 'auth:session:end']),
    );
    server.answers['GET console/users/17'] = [200, { account: false, belongings: false }];
    const { page } = await server.open('users/17');
    expect([page.texts('main button'), page.texts('main .hint')]).toEqual([[], [BEYOND]]);
    for (const tab of ['sessions', 'factors', 'passkeys', 'identities', 'roles']) {
      await page.go(`users/17/${tab}`);
      expect([tab, page.texts('main button')]).toEqual([tab, []]);
    }
    expect(page.texts('main nav.tabs a')).not.toContain('API keys');
  });

  it('see of disabled users what is about the account alone', async () => {
    const server = new Server(accessOf(['auth:user:read', 'auth:user:write', 'auth:session:end']));
    server.answers['GET users/17'] = [200, { ...ADA, status: 'DISABLED' }];
    server.answers['GET console/users/17'] = [200, { account: true, belongings: false }];
    const { page } = await server.open('users/17');
    const buttons = ['Change display name', 'Set new password', 'Enable', 'Delete user'];
    expect(page.texts('main button')).toEqual(buttons);
    await page.go('users/17/passkeys');
    expect(page.texts('main button')).toEqual([]);
  });

  it('see why they cannot end themselves', async () => {
    const server = new Server(accessOf(['super']));
    const until = new Date(Date.now() + 60_000).toISOString();
    server.answers['GET users/1'] = [200, { ...ADA, userId: 1, lockedUntil: until }];
    server.answers['GET users/1/passkeys'] = [200, [NAMED]];
    server.answers['GET users/1/sessions'] = [200, [{ id: 'own', current: true }]];
    const { page } = await server.open('users/1');
    const names = () => off(page).map((it) => it.textContent);
    expect(names()).toEqual(['End lockout', 'Set new password', 'Disable', 'Delete user']);
    expect(page.texts('.tags .tag')).toEqual(['Active', 'Locked out', 'You']);
    await page.go('users/1/passkeys');
    expect(names()).toEqual(['Remove', 'Remove all passkeys']);
    await page.go('users/1/sessions');
    expect(names()).toEqual(['End', 'End all sessions']);
  });

  it.each<[lacking: RegExp, tabs: string]>([
    [/sessions/, 'Account, Roles, Second factors, Passkeys, API keys, Linked accounts, Events'],
    [
      /\/(factors|passkeys|identities|keys)|^\w+ (roles|invitations)|reset/,
      'Account, Roles, Sessions, Events',
    ],
    [/^\w+ (users(?!\/{id}\/(sessions|keys))|roles|invitations)/, 'Account, Sessions, API keys, Events'],
  ])('of an application without %s have these tabs', async (lacking, tabs) => {
    const { page } = await open('users/17', ['super'], lacking);
    expect([page.texts('main nav.tabs a').join(', '), page.texts('.notice')]).toEqual([tabs, []]);
  });

  it.each<[code: number, status: number, heading: string]>([
    [40300, 403, 'No access'],
    [40301, 403, 'Choose a new password'],
    [40303, 403, 'Second factor needed'],
    [40101, 401, 'Log in'],
    [40100, 401, 'Log in'],
    [50300, 503, 'The page cannot be opened right now'],
  ])('whom GET console answers with %i stand before a gate', async (code, status, heading) => {
    const server = new Server(accessOf([]));
    server.answers['GET console'] = [status, { code }];
    server.answers['POST token/refresh'] = [401, { code: 40101 }];
    const { page } = await server.open('users');
    expect([page.texts('dialog.gate h1'), page.texts('main h1')]).toEqual([[heading], []]);
    expect(page.calls.filter((it) => it.includes('users'))).toEqual([]);
  });
});

describe('users of the console', () => {
  it('are found by their name, where the log knows it and they cannot be listed', async () => {
    const server = new Server(accessOf(['auth:session:end', 'auth:audit:read']));
    const about = (subjectId: number | string, subject: string) =>
      [200, { items: [{ subjectId, subject }] }] as const;
    const opened = async (name: string, answer?: PageAnswer) => {
      server.answers['GET audit'] = answer;
      const { page } = await server.open('users');
      page.fill({ name });
      await page.submit();
      return page.path;
    };
    expect(await opened('ada', about(17, 'ada'))).toBe('users/17');
    expect(await opened('17')).toBe('users/17'); // an id, which nobody is asked about
    expect(await opened('usr', about('usr', 'ada'))).toBe('users/usr'); // an id wins over the name of another
    expect(await opened('nobody', [200, { items: [] }])).toBe('users/nobody');
  });

  it('are created', async () => {
    const server = await open('users/~new');
    const { page } = server;
    server.answers['POST users'] = [201, { userId: 17 }];
    page.fill({ username: ' ada ', nickname: '', password: '👍👍👍👍👍👍👍' });
    expect(await server.sent(() => page.submit())).toEqual([]);
    expect(page.texts('.field-error').filter(Boolean)).toEqual(['Use at least 8 characters.']);
    page.fill({ password: 'a first one' });
    page.find('[value=plain]').checked = true;
    expect(await server.sent(() => page.submit())).toEqual([
      'POST users {"username":"ada","password":"a first one","roles":["plain"]}',
    ]);
    expect([page.path, page.texts('.notice.good')]).toEqual(['users/17', ['The user is created.']]);
  });

  it('of a name that is taken keep the form', async () => {
    const server = await open('users/~new');
    server.answers['POST users'] = [409, { code: 40900 }];
    server.page.fill({ username: 'ada', nickname: 'A', password: 'a first one' });
    await server.page.submit();
    expect(server.page.texts('.field-error')[0]).toBe('Another user has this name. Choose a different one.');
    expect(server.page.find('[name=nickname]').value).toBe('A');
  });

  it.each<[button: string, path: string, typed: string | undefined, call: string]>([
    ['Delete user', '', 'ada', 'DELETE users/17'],
    ['Disable', '', undefined, 'PATCH users/17 {"status":"DISABLED"}'],
    ['End all sessions', '/sessions', undefined, 'DELETE users/17/sessions'],
    ['Remove second factors', '/factors', undefined, 'DELETE users/17/factors'],
    ['Remove', '/passkeys', undefined, 'DELETE users/17/passkeys/x1'],
    ['Remove all passkeys', '/passkeys', undefined, 'DELETE users/17/passkeys'],
    ['Remove', '/identities', undefined, 'DELETE users/17/identities/x1'],
    ['Remove all linked accounts', '/identities', undefined, 'DELETE users/17/identities'],
    ['Revoke', '/keys', undefined, 'DELETE users/17/keys/x1'],
    ['Revoke all API keys', '/keys', undefined, 'DELETE users/17/keys'],
  ])('are asked about before %s (%s)', async (button, path, typed, call) => {
    const server = await open(`users/17${path}`);
    const { page } = server;
    expect(await server.sent(() => page.press(button))).toEqual([]);
    expect(page.find('dialog[open] .data').textContent).toBe('ada');
    await page.press('Cancel');
    expect(page.all('dialog')).toEqual([]);
    await page.press(button);
    if (typed !== undefined) {
      page.fill({ typed: 'Ada' });
      expect(await server.sent(() => page.submit())).toEqual([]);
      expect(page.texts('dialog .field-error')).toEqual(['The name is different.']);
      page.fill({ typed });
    }
    expect(await server.sent(() => page.submit())).toEqual([call]);
    expect([page.all('dialog'), page.texts('.notice.good').length]).toEqual([[], 1]);
  });

  it.each<[button: string, path: string, call: string]>([
    ['Send link for a new password', '', 'POST users/17/reset-link'],
    ['End lockout', '', 'POST users/17/unlock'],
    ['End', '/sessions', 'DELETE users/17/sessions/s1'],
  ])('are not asked about before %s', async (button, path, call) => {
    const server = new Server(accessOf(['super']));
    const lockedUntil = new Date(Date.now() + 60_000).toISOString();
    server.answers['GET users/17'] = [200, { ...ADA, lockedUntil }];
    await server.open(`users/17${path}`);
    expect(await server.sent(() => server.page.press(button))).toEqual([call]);
    expect(server.page.texts('.notice.good')).toHaveLength(1);
  });

  it.each<[status: number, code: number, words: RegExp]>([
    [409, 40900, /in the current state/],
    [403, 40300, /./],
    [503, 50300, /./],
  ])('whose deletion is answered with %i %i stay, and the dialog says why', async (status, code, words) => {
    const server = await open('users/17');
    await server.page.press('Delete user');
    server.page.fill({ typed: 'ada' });
    server.answers['DELETE users/17'] = [status, { code }];
    await server.page.submit();
    expect(server.page.texts('dialog .notice.bad')[0]).toMatch(words);
  });

  it.each<[button: string, path: string, method: string]>([
    ['Delete user', '', 'DELETE users/17'],
    ['Disable', '', 'PATCH users/17'],
    ['End', '/sessions', 'DELETE users/17/sessions/s1'],
    ['Save', '/roles', 'PUT users/17/roles'],
  ])('whom another one has deleted are gone after %s', async (button, path, method) => {
    const server = await open(`users/17${path}`);
    const { page } = server;
    server.answers[method] = server.answers['GET users/17'] = [404, { code: 40400 }];
    page.all('[value=plain]').forEach((it) => (it.checked = false));
    await page.press(button);
    if (page.all('dialog').length > 0) {
      page.all('[name=typed]').forEach((it) => (it.value = 'ada'));
      await page.submit();
    }
    expect([page.all('dialog'), page.texts('main h1')]).toEqual([[], ['This entry no longer exists']]);
  });

  it('keep a role that another one has deleted out of sight after it is refused', async () => {
    const server = await open('users/17/roles');
    const { page } = server;
    page.find('[value=plain]').checked = false;
    server.answers['PUT users/17/roles'] = [400, { code: 40000 }];
    server.answers['GET roles'] = [200, ROLES.slice(1)];
    await page.submit();
    expect(page.texts('.notice.bad p')[0]).toBe(
      'One of the roles no longer exists. Check the roles, then save again.',
    );
    expect(page.all('[value=plain]')).toEqual([]);
  });

  it('lose their buttons when the viewer loses rights', async () => {
    const server = await open('users/17');
    const { page } = server;
    await page.press('Disable');
    server.answers['PATCH users/17'] = [403, { code: 40300 }];
    server.answers['GET console'] = [200, accessOf(['auth:user:read'])];
    await page.submit();
    expect(page.texts('.notice.bad').join()).toContain('40300');
    expect([page.texts('main button'), page.texts('header nav a')]).toEqual([[], ['Users', 'Your account']]);
  });

  it('have sessions that can be ended although they cannot be listed', async () => {
    const server = new Server(accessOf(['super']));
    server.answers['GET users/17/sessions'] = [501, { code: 50100 }];
    const { page } = await server.open('users/17/sessions');
    expect(page.texts('main .muted')).toContain(
      'This application cannot list its sessions. It can only end them.',
    );
    expect(page.texts('main button')).toEqual(['End all sessions']);
  });

  it('whom another administrator has changed are shown as they are, with what changed', async () => {
    const server = await open('users/17');
    const { page } = server;
    server.answers['POST users/17/reset-link'] = [409, { code: 40900 }];
    server.answers['GET users/17'] = [200, { ...ADA, status: 'DISABLED', roles: [] }];
    await page.press('Send link for a new password');
    expect(page.texts('.notice.bad p')).toContain(
      'Someone else has changed this in the meantime: Status and Roles.',
    );
    expect(page.texts('.notice.bad p')[0]).toContain('The link cannot be sent');
    expect(page.texts('main button')).toContain('Enable');
  });
});

describe('roles of the console', () => {
  it('of a user are saved at once where they are not administrative, and else after a question', async () => {
    const server = await open('users/17/roles');
    const { page } = server;
    page.find('[value=plain]').checked = false;
    expect(await server.sent(() => page.submit())).toEqual(['PUT users/17/roles {"roles":[]}']);
    await page.go('users/17/roles');
    page.find('[value=outer]').checked = true;
    expect(await server.sent(() => page.submit())).toEqual([]);
    expect(page.texts('dialog code')).toEqual(['outer']);
    expect(await server.sent(() => page.submit())).toEqual([
      'PUT users/17/roles {"roles":["plain","outer"]}',
    ]);
  });

  it('that the viewer lacks cannot be given, nor the own administrative ones taken', async () => {
    const server = new Server(accessOf(['auth:user:read', 'auth:user:write', 'auth:role:read']));
    const { page } = await server.open('users/1/roles');
    const codes = () => off(page, 'main [type=checkbox]').map((it) => it.value);
    expect(codes()).toEqual(['helper', 'SUPER_ADMIN']);
    expect(page.texts('.choices .hint')).toEqual([
      'You cannot take away your own administrative rights.',
      'It has rights that you do not have.',
    ]);
    await page.go('users/17/roles');
    expect(codes()).toEqual(['SUPER_ADMIN']);
  });

  it('that the viewer cannot read are given by their codes, after a question', async () => {
    const server = await open('users/17/roles', ['auth:user:read', 'auth:user:write']);
    const { page } = server;
    expect(page.find('[name=roles]').value).toBe('plain');
    page.fill({ roles: 'plain\neditor' });
    await page.submit();
    expect(await server.sent(() => page.submit())).toEqual([
      'PUT users/17/roles {"roles":["plain","editor"]}',
    ]);
    await page.go('users/1/roles');
    page.fill({ roles: '' });
    expect(await server.sent(() => page.submit())).toEqual([]);
    expect(page.texts('.field-error')).toEqual(['You cannot take away your own administrative rights.']);
  });

  it.each([
    ['-x', /^1 to 64 letters/],
    ['x'.repeat(65), /^1 to 64 letters/],
  ])('have no code such as "%s"', async (code, problem) => {
    const server = await open('roles/~new');
    server.page.fill({ code, name: 'New' });
    expect(await server.sent(() => server.page.submit())).toEqual([]);
    expect(server.page.texts('.field-error')[0]).toMatch(problem);
  });

  it.each(['note read', 'note:', ':note', 'note**', 'ä:b'])(
    'have no permission such as "%s"',
    async (permission) => {
      const server = await open('roles/~new');
      server.page.fill({ code: 'new', name: 'New', permissions: `note:read\n${permission}` });
      expect(await server.sent(() => server.page.submit())).toEqual([]);
      expect(server.page.texts('.field-error').join('')).toContain(`“${permission}” cannot be a permission.`);
    },
  );

  it('are created, changed and deleted, after a question where their rights are administrative', async () => {
    const server = await open('roles/~new');
    const { page } = server;
    page.fill({ code: 'new.1', name: ' New ', permissions: 'note:*, auth:user:read' });
    page.find('[value=plain]').checked = true;
    server.answers['POST roles'] = [409, { code: 40900 }];
    await page.submit();
    expect(page.texts('.field-error')[0]).toBe('Another role has this code. Choose a different one.');
    delete server.answers['POST roles'];
    expect(await server.sent(() => page.submit())).toEqual([
      'POST roles {"code":"new.1","name":"New","permissions":["note:*","auth:user:read"],"includes":["plain"]}',
    ]);
    expect(page.path).toBe('roles/new.1');

    await page.go('roles/plain');
    page.fill({ name: 'Other' });
    const same = '"permissions":["note:read"],"includes":[]';
    expect(await server.sent(() => page.submit())).toEqual([`PATCH roles/plain {"name":"Other",${same}}`]);
    page.find('[value=helper]').checked = true;
    expect(await server.sent(() => page.submit())).toEqual([]);
    expect(await server.sent(() => page.submit())).toHaveLength(1);

    await page.press('Delete role');
    page.fill({ typed: 'plain' });
    server.answers['DELETE roles/plain'] = [409, { code: 40900 }];
    await page.submit();
    expect(page.texts('dialog .notice p')[0]).toContain('The role is in use.');
    server.answers['DELETE roles/plain'] = [204];
    await page.submit();
    expect([page.path, page.texts('.notice.good')]).toEqual(['roles', ['The role is deleted.']]);
  });

  it('cannot include each other in a circle, and show what they inherit', async () => {
    const { page } = await open('roles/helper');
    expect(off(page, 'main [type=checkbox]').map((it) => it.value)).toEqual(['outer']);
    expect(page.texts('.choices .hint')).toEqual(['It includes this role.']);
    await page.go('roles/outer');
    expect(page.texts('.inherited code')).toEqual(['auth:user:read']);
    await page.go('roles/SUPER_ADMIN');
    expect(page.texts('main button')).toEqual([]);
    expect(page.texts('main .hint')).toEqual(['This role is built in and cannot be changed.']);
  });

  it.each([
    ['roles', ['helper', 'outer', 'plain', 'SUPER_ADMIN'], 'ascending'],
    ['roles?sort=-code', ['SUPER_ADMIN', 'plain', 'outer', 'helper'], 'descending'],
    ['roles?sort=name', ['SUPER_ADMIN', 'helper', 'outer', 'plain'], 'ascending'],
  ])('are sorted: %s', async (path, codes, direction) => {
    const { page } = await open(path);
    expect(page.texts('tbody th code')).toEqual(codes);
    expect(page.texts(`th[aria-sort=${direction}]`)).toHaveLength(1);
  });
});

describe('invitations of the console', () => {
  it('are sent and withdrawn', async () => {
    const server = await open('invitations/~new');
    const { page } = server;
    page.fill({ email: 'no address' });
    expect(await server.sent(() => page.submit())).toEqual([]);
    page.fill({ email: ' a@example.com ', nickname: ' ', locale: 'de' });
    expect(await server.sent(() => page.submit())).toEqual([
      'POST invitations {"email":"a@example.com","locale":"de"}',
    ]);
    expect(page.path).toBe('invitations');
    await page.press('Withdraw invitation');
    expect(await server.sent(() => page.submit())).toEqual(['DELETE invitations/i1']);
  });

  it('with roles beyond the viewer can be read only', async () => {
    const server = new Server(accessOf(['auth:user:write', 'auth:role:read']));
    server.answers['GET invitations'] = [200, [{ id: 'i1', email: 'a@example.com', roles: ['helper'] }]];
    expect((await server.open('invitations')).page.texts('main button')).toEqual([]);
  });
});

describe('before the console', () => {
  async function closed(answers: Server['answers'] = {}): Promise<Server> {
    const server = new Server(accessOf(['super']));
    const ended = [401, { code: 40100 }] as const;
    Object.assign(server.answers, { 'GET console': ended, 'POST token/refresh': ended }, answers);
    return server.open('users');
  }
  const enter = ({ page }: Server, values = { username: 'chief', password: 'right' } as object) =>
    page.fill(values as Record<string, string>).submit();

  it('a login opens it', async () => {
    const server = await closed();
    server.answers['POST login'] = [200, {}];
    delete server.answers['GET console'];
    server.page.fill({ remember: true });
    expect(await server.sent(() => enter(server))).toEqual([
      'POST login {"username":"chief","password":"right","remember":true}',
    ]);
    expect([server.page.all('dialog'), server.page.texts('main h1')]).toEqual([[], ['Users']]);
    expect(server.page.texts('.person')).toEqual(['The chief']);
  });

  it('a second factor is asked for, with codes as apps show them', async () => {
    const challenge = { code: 40112, challenge: 'c', factors: ['totp', 'recovery'] };
    const server = await closed({ 'POST login': [401, challenge] });
    await enter(server);
    server.answers['POST login/factor'] = [401, { code: 40113 }];
    const sent = await server.sent(() => enter(server, { code: '123 456', factor: 'recovery' }));
    expect(sent).toEqual(['POST login/factor {"challenge":"c","factor":"recovery","code":"123456"}']);
    expect(server.page.texts('dialog .notice code')).toEqual(['40113']);
    await server.page.press('Start again');
    expect(server.page.all('dialog [name=username]')).toHaveLength(1);
  });

  it('another attempt sends what the form contains then', async () => {
    const server = await closed({ 'POST login': [503, { code: 50300 }] });
    await enter(server, { username: 'chief', password: 'wrong' });
    server.page.fill({ password: 'right' });
    expect(await server.sent(() => server.page.press('Try again'))).toEqual([
      'POST login {"username":"chief","password":"right"}',
    ]);
  });

  it('a gate opens when it is tried again after an outage', async () => {
    const server = await closed({ 'GET console': [503, { code: 50300 }] });
    delete server.answers['GET console'];
    await server.page.press('Try again');
    expect([server.page.all('dialog'), server.page.texts('main h1')]).toEqual([[], ['Users']]);
  });

  it('nobody is logged out without a network, and the page says so', async () => {
    const server = await closed({ 'GET console': [403, { code: 40300 }] });
    server.answers['POST token/end'] = () => undefined;
    await server.page.press('Log out');
    expect(server.page.texts('dialog .notice p')[0]).toContain('There is no connection to the server.');
    expect(server.page.texts('dialog h1')).toEqual(['No access']);
    Object.assign(server.answers, { 'POST token/end': [204], 'GET console': [401, { code: 40100 }] });
    await server.page.press('Try again');
    expect(server.page.texts('dialog h1')).toEqual(['Log in']);
  });

  it('a new password is chosen twice, and with the right old one', async () => {
    const server = await closed({ 'GET console': [403, { code: 40301 }] });
    const { page } = server;
    const values = { currentPassword: 'old', newPassword: 'new one 4711', again: 'other' };
    expect(await server.sent(() => enter(server, values))).toEqual([]);
    expect(page.texts('dialog .field-error').filter(Boolean)).toEqual(['The two passwords are different.']);
    server.answers['POST password'] = [401, { code: 40110 }];
    expect(await server.sent(() => enter(server, { again: 'new one 4711' }))).toEqual([
      'POST password {"currentPassword":"old","newPassword":"new one 4711"}',
    ]);
    expect(page.texts('dialog .field-error')[0]).toBe('The password is wrong.');
  });

  it('the dialog of somebody else is closed, and what was typed is gone', async () => {
    const server = await open('users/17');
    const { page } = server;
    await page.press('Disable');
    const ended = [401, { code: 40101, reason: 'kicked' }] as const;
    Object.assign(server.answers, { 'PATCH users/17': ended, 'POST token/refresh': ended });
    server.answers['GET console'] = ended;
    await page.submit();
    expect(page.texts('dialog.gate .notice')[0]).toBe('This session was ended. Log in again.');
    const other = accessOf(['super']);
    other.user.userId = 2;
    Object.assign(server.answers, { 'POST login': [200, {}], 'GET console': [200, other] });
    await enter(server);
    expect([page.all('dialog'), page.texts('main h1')]).toEqual([[], ['Ada']]);
  });

  it('the confirmation takes one of the factors that are missing, and says if it is wrong', async () => {
    const server = await open('users/17');
    const { page } = server;
    server.answers['POST users/17/reset-link'] = [401, { code: 40120, missing: ['totp', 'password'] }];
    await page.press('Send link for a new password');
    await page.press('Use instead: Password');
    server.answers['POST fresh'] = [401, { code: 40110 }];
    expect(await server.sent(() => enter(server, { proof: 'wrong' }))).toEqual([
      'POST fresh {"password":"wrong"}',
    ]);
    expect(page.texts('dialog .field-error')).toEqual(['The password is wrong.']);
    await page.press('Use instead: Authenticator app');
    server.answers['POST fresh'] = [200, {}];
    server.answers['POST users/17/reset-link'] = [204];
    expect(await server.sent(() => enter(server, { proof: '123 456' }))).toEqual([
      'POST fresh {"factor":"totp","code":"123456"}',
      'POST users/17/reset-link',
    ]);
    const done = 'The link is on its way to the address of the user.';
    expect([page.all('dialog'), page.texts('.notice.good')]).toEqual([[], [done]]);
  });

  it('the confirmation sends a code by email to users who have nothing else, and takes it', async () => {
    const server = await open('users/17');
    const { page } = server;
    server.answers['POST users/17/reset-link'] = [401, { code: 40120, missing: ['email'] }];
    await page.press('Send link for a new password');
    expect(page.all('dialog input')).toEqual([]);
    server.answers['POST fresh/options'] = [429, { code: 42900 }];
    await page.press('Send a code by email');
    expect(page.all('dialog input')).toEqual([]);
    server.answers['POST fresh/options'] = [202];
    expect(await server.sent(() => page.press('Send a code by email'))).toEqual([
      'POST fresh/options {"factor":"email"}',
    ]);
    server.answers['POST fresh'] = [200, {}];
    server.answers['POST users/17/reset-link'] = [204];
    expect(await server.sent(() => enter(server, { proof: 'bktw rjhx' }))).toEqual([
      'POST fresh {"factor":"email","code":"bktwrjhx"}',
      'POST users/17/reset-link',
    ]);
    expect(page.all('dialog')).toEqual([]);
  });

  it('a confirmation that is cancelled changes nothing', async () => {
    const server = await open('users/17');
    server.answers['PATCH users/17'] = [401, { code: 40120, missing: ['password'] }];
    await server.page.press('Disable');
    await server.page.submit();
    await server.page.press('Cancel', 'dialog[aria-labelledby=confirm-title] button');
    expect(server.page.all('#confirm-title')).toEqual([]);
    expect(server.page.texts('.notice')).toEqual([]);
  });
});

it('no module reads text as HTML or as code', () => {
  const all = [...FILES].filter(([name]) => name.endsWith('.js')).map(([, code]) => code);
  const pattern =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|\.srcdoc/;
  expect(all.flatMap((code) => pattern.exec(code) ?? [])).toEqual([]);
});
