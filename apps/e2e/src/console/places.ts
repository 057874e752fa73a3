import type { Page } from 'playwright-core';
import { BUSY } from './people.js';
import type { ConsoleTab } from './tab.js';

/** A page, a tab of a page or a dialog. */
export interface Place {
  readonly name: string;
  /** Below the console. `{id}` is a user who has everything. */
  readonly path: string;
  /** What opens it on the page. */
  readonly open?: (tab: Page) => Promise<void>;
}

const clicked =
  (...selectors: string[]) =>
  async (tab: Page) => {
    for (const selector of selectors) {
      await tab.click(selector);
    }
  };
const dialog = (selector: string) => async (tab: Page) => {
  await tab.click(selector);
  await tab.locator('dialog[open]').waitFor();
};
const ofUser = (tab: string, open?: Place['open'], name = 'user'): Place => ({
  name: `${name}-${tab}`,
  path: `users/{id}/${tab}`,
  ...(open && { open }),
});
const LAST_DANGER = 'main .danger >> nth=-1';

/** Answers the next request that changes something as an old login is answered. */
const old =
  (open: (tab: Page) => Promise<void>, missing = ['totp', 'password']): Place['open'] =>
  async (tab) => {
    await tab.route('**/v1/api/auth/**', (route) =>
      route.request().method() === 'GET'
        ? route.fallback()
        : route.fulfill({ status: 401, json: { code: 40120, error: 'FRESH_LOGIN_REQUIRED', missing } }),
    );
    await open(tab);
    await tab.locator('#confirm-title').waitFor();
    await tab.unrouteAll();
  };

/** What an administrator sees. */
export const PLACES: readonly Place[] = [
  { name: 'users', path: 'users' },
  { name: 'users-none', path: 'users?q=nobody-has-this-name&status=DISABLED' },
  { name: 'user-new', path: 'users/~new' },
  { name: 'user-new-wrong', path: 'users/~new', open: clicked('main .primary') },
  { name: 'user-account', path: 'users/{id}' },
  { name: 'user-edit', path: 'users/{id}', open: dialog('main .card .actions button >> nth=0') },
  { name: 'user-delete', path: 'users/{id}', open: dialog(LAST_DANGER) },
  ofUser('roles'),
  ofUser(
    'roles',
    async (tab) => {
      await tab.click('main [value=SUPER_ADMIN]');
      await dialog('main .primary')(tab);
    },
    'confirm',
  ),
  ofUser('sessions'),
  ofUser('sessions', dialog(LAST_DANGER), 'dialog'),
  ofUser('sessions', old(clicked('main .small')), 'fresh'),
  ofUser('factors'),
  ofUser('factors', dialog(LAST_DANGER), 'dialog'),
  ofUser('passkeys'),
  ofUser('passkeys', dialog('main .small'), 'dialog'),
  ofUser('keys'),
  ofUser('identities'),
  ofUser('events'),
  { name: 'user-self', path: 'users/1' },
  { name: 'roles', path: 'roles' },
  { name: 'role', path: 'roles/people-admin' },
  { name: 'role-delete', path: 'roles/people-admin', open: dialog(LAST_DANGER) },
  { name: 'role-super', path: 'roles/SUPER_ADMIN' },
  { name: 'role-new', path: 'roles/~new' },
  { name: 'invitations', path: 'invitations' },
  { name: 'invitation-end', path: 'invitations', open: dialog('main .small') },
  { name: 'audit', path: 'audit' },
  { name: 'audit-filtered', path: `audit?subject=${BUSY}&type=login-failed` },
  { name: 'account', path: 'account' },
  { name: 'unknown', path: 'nothing/here' },
  { name: 'gone', path: 'users/4711' },
  {
    name: 'offline',
    path: 'audit',
    open: async (tab) => {
      await tab.route('**/v1/api/auth/audit**', (route) => route.abort());
      await tab.click('nav.pager a');
      await tab.locator('main .notice.bad').waitFor();
      await tab.unrouteAll();
    },
  },
];

/** What stands before the console, each with the answer to `GET console`. */
export const GATES: readonly (readonly [name: string, answer: object])[] = [
  ['gate-ended', { status: 401, json: { code: 40101, error: 'TOKEN_INVALID', reason: 'idle' } }],
  ['gate-no-rights', { status: 403, json: { code: 40300, error: 'FORBIDDEN' } }],
  ['gate-password', { status: 403, json: { code: 40301, error: 'PASSWORD_CHANGE_REQUIRED' } }],
  ['gate-enrolment', { status: 403, json: { code: 40303, error: 'ENROLMENT_REQUIRED' } }],
  ['gate-outage', { status: 503, json: { code: 50300, error: 'UNAVAILABLE', message: 'Not available' } }],
];

/** Goes to each place, and then to each gate. */
export async function tour(
  page: ConsoleTab,
  ids: ReadonlyMap<string, number>,
  visit: (name: string) => Promise<void>,
): Promise<void> {
  const { tab } = page;
  for (const { name, path, open } of PLACES) {
    await page.show(path.replace('{id}', String(ids.get(BUSY))));
    await open?.(tab);
    await visit(name);
  }
  for (const [name, answer] of GATES) {
    await tab.route('**/v1/api/auth/console', (route) => route.fulfill(answer));
    await page.load('account');
    await visit(name);
    await tab.unrouteAll();
  }
}
