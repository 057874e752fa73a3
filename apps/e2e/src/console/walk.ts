import type { ConsoleTab } from './tab.js';

interface About {
  readonly id: number;
  readonly username: string;
  /** A role that nobody has. */
  readonly role: string;
}

/** Keys come first, because they end with the sessions. */
const TABS = ['keys', 'roles', 'sessions', 'factors', 'passkeys', 'identities', 'events'];
/** They end the walk, or what other buttons are about. */
const LAST = ['Delete user', 'Delete role'];
const NOT_PRESSED = ['Log out', 'Copy', 'Search', 'Download as CSV'];

/** Presses every button of the console. */
export class ConsoleWalk {
  /** The endpoints that were called, such as `GET users/{}`. */
  readonly called = new Set<string>();
  /** The calls that were refused for want of a permission. */
  readonly refused: string[] = [];

  constructor(
    private readonly page: ConsoleTab,
    private readonly about: About,
  ) {}

  /** Visits all pages. Pages that the navigation does not lead to are visited too: their URL may be known. */
  async everything(): Promise<void> {
    const { id, role } = this.about;
    const user = `users/${id}`;
    const paths = ['users', 'users/~new', ...TABS.map((tab) => `${user}/${tab}`), user];
    for (const path of [
      ...paths,
      'roles',
      'roles/~new',
      `roles/${role}`,
      'invitations/~new',
      'invitations',
      'audit',
    ]) {
      await this.visit(path);
    }
  }

  private async visit(path: string): Promise<void> {
    const pressed = new Set<string>();
    for (;;) {
      await this.page.load(path);
      await this.collect(path);
      const texts = await this.page.tab.locator('main button:visible:enabled').allTextContents();
      const next = texts
        // Tabs that the user may not see show the account.
        .filter((text) => text !== 'Delete user' || path === `users/${this.about.id}`)
        .filter((text) => !pressed.has(text) && !NOT_PRESSED.includes(text) && !/\d:\d/.test(text))
        .sort((a, b) => Number(LAST.includes(a)) - Number(LAST.includes(b)))[0];
      if (next === undefined) {
        return;
      }
      pressed.add(next);
      await this.fill('main');
      await this.page.action(next).first().click();
      if ((await this.page.dialog.count()) > 0) {
        await this.fill('dialog[open]');
        await this.page.submit();
      }
      await this.collect(`${path}: ${next}`);
    }
  }

  /** Fills in what the form needs. */
  private async fill(within: string): Promise<void> {
    const { id, username, role } = this.about;
    const { tab } = this.page;
    const inRole = tab.url().includes('/roles/');
    const values: Record<string, string> = {
      typed: inRole ? role : this.called.has('GET users/{}') ? username : String(id), // who cannot read names knows the id
      username: `new-${id}-${role}`,
      name: tab.url().endsWith('/users') ? String(id) : 'New name',
      code: `new-${id}-${role}`,
      nickname: 'New name',
      email: `new-${id}-${role}@app.example`,
      password: 'a new one 4711 for them',
      newPassword: 'a new one 4711 for them',
    };
    for (const [name, value] of Object.entries(values)) {
      const input = tab.locator(`${within} input[name=${name}]:visible`);
      if ((await input.count()) > 0) {
        await input.fill(value);
      }
    }
  }

  private async collect(where: string): Promise<void> {
    for (const { call, outcome } of await this.page.answers()) {
      this.called.add(
        call.replace(/(users|roles|sessions|passkeys|identities|keys|invitations)\/[^/]+/g, '$1/{}'),
      );
      if (outcome === 40300) {
        this.refused.push(`${where}: ${call}`);
      }
    }
    this.page.forget();
  }
}
