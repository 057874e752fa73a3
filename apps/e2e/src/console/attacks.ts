import type { BrowserContext, Page } from 'playwright-core';
import { PASSWORD } from 'test-support';

/** Runs in every page before its own scripts. */
const LISTEN = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
  console.error('policy', effectiveDirective, blockedURI, sample));`;

/** What Chromium says of an answer that is no success. */
const IS_REFUSAL = /^Failed to load resource: the server responded with a status of (4\d\d|503)/;

/** A tab with the console, and a list of what must not happen in it. */
export class WatchedConsole {
  /** Scripts that ran or failed, violations of the policy, and requests to another origin. */
  readonly incidents: string[] = [];
  /** The URLs of all requests of the tab. */
  readonly requests: string[] = [];

  private constructor(
    readonly tab: Page,
    /** Of the page, without a slash at the end. */
    readonly url: string,
  ) {
    const { origin } = new URL(url);
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !IS_REFUSAL.test(message.text())) {
        this.incidents.push(message.text());
      }
    });
    tab.on('pageerror', (error) => this.incidents.push(`error ${error.message}`));
    tab.on('dialog', (dialog) => {
      this.incidents.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    tab.on('popup', (popup) => this.incidents.push(`popup ${popup.url()}`));
    tab.on('request', (request) => {
      this.requests.push(request.url());
      if (new URL(request.url()).origin !== origin && !/^(blob|data):/.test(request.url())) {
        this.incidents.push(`request ${request.url()}`);
      }
    });
  }

  static async open(context: BrowserContext, url: string, path = ''): Promise<WatchedConsole> {
    const tab = await context.newPage();
    await tab.addInitScript(LISTEN);
    const page = new WatchedConsole(tab, url);
    await page.load(path);
    return page;
  }

  /** Loads a page anew, and waits until it shows something. @param path below the console */
  async load(path = ''): Promise<void> {
    await this.tab.goto(path === '' ? this.url : `${this.url}/${path}`);
    await this.tab.locator('main h1, dialog.gate h1').first().waitFor();
  }

  async logIn(username = 'admin', password = username === 'admin' ? 'admin' : PASSWORD): Promise<void> {
    await this.tab.fill('dialog.gate [name=username]', username);
    await this.tab.fill('dialog.gate [name=password]', password);
    await this.tab.click('dialog.gate form .primary');
    await this.tab.locator('dialog.gate').waitFor({ state: 'detached' });
    await this.shown();
  }

  /** Goes to a page as a link does, and waits for it. @param path below the console */
  async go(path: string): Promise<void> {
    await this.tab.evaluate(
      `document.querySelector('main h1')?.setAttribute('data-old', ''); history.pushState(null, '', ${JSON.stringify(
        `${new URL(this.url).pathname}/${path}`,
      )}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await this.shown();
  }

  private shown(): Promise<void> {
    return this.tab.locator('main h1:not([data-old])').waitFor();
  }

  /** Of an expression in the page. */
  read<T = string>(expression: string): Promise<T> {
    return this.tab.evaluate<T>(expression);
  }

  /** What has happened until now that must not: also what a script of an attacker has left behind. */
  async harm(): Promise<string[]> {
    const left = await this.read<boolean>(
      "'pwned' in globalThis || 'pwned' in {} || 'pwned' in Object.prototype",
    );
    return [...this.incidents, ...(left ? ['a script has run'] : [])];
  }
}
