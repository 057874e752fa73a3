import { beforeAll, describe, expect, it } from '@jest/globals';
import { RouteAccessReport } from 'kit-auth';
import { UserAddresses } from 'kit-auth-email';
import { type ModulePage, sharedTestApp } from 'test-support';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { give } from './belongings.js';
import { enrol } from './factors.js';
import { modulePage } from './module-page.js';

const NOT_PRESSED = /^(Log out|Copy|Search|Download as CSV|Cancel)$|\d:\d/;
/** They end the walk, or what other buttons are about. */
const LAST = ['Delete user', 'Delete role'];

interface About {
  readonly id: number;
  /** A role that nobody has. */
  readonly role: string;
}

/** Fills in what a form needs. */
function fill(page: ModulePage, { id, role }: About): void {
  const values: Record<string, string> = {
    typed: page.texts('dialog[open] label .data').at(-1) ?? '',
    username: `new-${id}-${role}`,
    name: page.path === 'users' ? String(id) : 'New name',
    code: `new-${id}-${role}`,
    nickname: 'New name',
    email: `new-${id}-${role}@app.example`,
    password: 'a new one 4711 for them',
    newPassword: 'a new one 4711 for them',
  };
  for (const [name, value] of Object.entries(values)) {
    page.all(`main [name=${name}], dialog[open] [name=${name}]`).forEach((it) => (it.value = value));
  }
}

/** Presses every button, also of pages that the navigation does not lead to: their URL may be known. */
async function pressEverything(page: ModulePage, about: About): Promise<void> {
  const user = `users/${about.id}`;
  // Keys come first, because they end with the sessions.
  const tabs = ['keys', 'roles', 'sessions', 'factors', 'passkeys', 'identities', 'events'];
  const paths = ['users', 'users/~new', ...tabs.map((tab) => `${user}/${tab}`), user];
  paths.push('roles', 'roles/~new', `roles/${about.role}`, 'invitations/~new', 'invitations', 'audit');
  for (const path of paths) {
    const pressed = new Set<string>();
    for (;;) {
      await page.go(path);
      const next = page
        .all('main button')
        .filter((it) => !it.disabled)
        .map((it) => it.textContent)
        // Tabs that the user may not see show the account.
        .filter((text) => text !== 'Delete user' || path === user)
        .filter((text) => !pressed.has(text) && !NOT_PRESSED.test(text))
        .sort((a, b) => Number(LAST.includes(a)) - Number(LAST.includes(b)))[0];
      if (next === undefined) {
        break;
      }
      pressed.add(next);
      fill(page, about);
      await page.press(next, 'main button');
      if (page.all('dialog[open]').length > 0) {
        fill(page, about);
        await page.submit();
      }
    }
  }
}

describe('every button of the console', () => {
  const app = sharedTestApp(new ConsoleApp({ extras: ALL_EXTRAS }));
  beforeAll(() => app.role({ code: 'plain' }));

  /** A user who has something of everything that can be ended. */
  async function subject(): Promise<{ id: number }> {
    const user = await app.user({ roles: ['plain'] });
    await app.get(UserAddresses).assign(user.id, `${user.username}@app.example`, { verified: true });
    await app.tokenOf(user);
    await app.tokenOf(user);
    await enrol(app, user);
    await give(app, user, 'first');
    await give(app, user, 'second');
    return user;
  }

  it('sends what the server accepts', async () => {
    const [role, spare] = [await app.role({ permissions: ['auth:*'] }), await app.role()];
    const about = { id: (await subject()).id, role: spare.code };
    const page = await modulePage(app, await app.tokenOf(await app.user({ roles: [role] })));
    await pressEverything(page, about);
    expect(page.refused).toEqual([`GET users/${about.id}: 40400`]); // after its deletion
    const called = page.calls.map((call) =>
      call
        .split(/[?]| (?=\{)/)[0]!
        .replace(/(users|roles|sessions|passkeys|identities|keys|invitations)\/[^/]+/g, '$1/{}'),
    );
    const endpoints = app
      .get(RouteAccessReport)
      .decided()
      .flatMap(({ ours, method, path, rule }) => {
        const isAdministrative = rule.requirements.some((it) => it.kind === 'permission');
        const name = `${method} ${path.slice('/v1/api/auth/'.length).replace(/:\w+/g, '{}')}`;
        return ours && isAdministrative ? [name] : [];
      });
    // With `kit-auth-email`, users get a link instead of a password. Nobody here is locked out.
    const notOffered = ['POST users/{}/password', 'POST users/{}/unlock'];
    expect(endpoints.filter((it) => !called.includes(it)).sort()).toEqual(notOffered);
  });
});
