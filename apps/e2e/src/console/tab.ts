import type { BrowserContext, Locator, Page } from 'playwright-core';
import { PASSWORD } from 'test-support';

declare const document: any, history: any, PopStateEvent: any, dispatchEvent: any, localStorage: any;

const API = '/v1/api/auth/';
/** What the page keeps in the browser. */
const LANGUAGE = 'kit-auth-console language';

/** Runs in every page before its own scripts. */
const LISTEN = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
  console.error('policy', effectiveDirective, blockedURI, sample));`;

/** What Chromium says of an answer that is no success. */
const IS_REFUSAL = /^Failed to load resource: the server responded with a status of (4\d\d|503)/;

/** A tab with the console, and a list of what must not happen in it. */
export class ConsoleTab {
  /** Scripts that ran or failed, violations of the policy, and requests to another origin. */
  readonly incidents: string[] = [];
  /** The URLs of all requests of the tab. */
  readonly requests: string[] = [];
  private readonly pending = new Set<Promise<unknown>>();

  private constructor(
    readonly tab: Page,
    readonly url: string,
  ) {
    const own = new URL(url).origin;
    const note = (incident: string) => void this.incidents.push(incident);
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !IS_REFUSAL.test(message.text())) {
        note(message.text());
      }
    });
    tab.on('pageerror', (error) => note(`error ${error.message}`));
    tab.on('popup', (popup) => note(`popup ${popup.url()}`));
    tab.on('request', (request) => {
      this.requests.push(request.url());
      const { origin, pathname } = new URL(request.url());
      if (origin !== own && !/^(blob|data):/.test(request.url())) {
        note(`request ${request.url()}`);
      }
      if (pathname.includes(API)) {
        const answer = request.response().catch(() => null);
        this.pending.add(answer);
        void answer.finally(() => this.pending.delete(answer));
      }
    });
  }

  /** @param origin without a slash at the end. @param path below the console. @param at where that is */
  static async open(
    context: BrowserContext,
    origin: string,
    path = '',
    at = '/auth-console',
  ): Promise<ConsoleTab> {
    const tab = await context.newPage();
    await tab.addInitScript(LISTEN);
    const page = new ConsoleTab(tab, `${origin}${at}`);
    await page.load(path);
    return page;
  }

  /** Loads the page anew, and waits until it shows something. */
  async load(path = ''): Promise<void> {
    await this.tab.goto('about:blank'); // another hash alone loads nothing
    await this.tab.goto(`${this.url}#/${path}`);
    await this.tab.locator('main h1, dialog.gate h1').first().waitFor();
  }

  /** Goes to a page as its links do, and waits until it is there. @param path below the console */
  async show(path: string): Promise<void> {
    await this.tab.evaluate((target) => {
      document.querySelectorAll('dialog[open]').forEach((dialog: any) => dialog.close());
      document.querySelector('main h1').id = 'former';
      history.pushState(null, '', target);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `${this.url}#/${path}`);
    await this.tab.locator('main h1:not(#former)').waitFor();
  }

  /** Chooses the language as the page does, from the next load on. */
  async speak(language: string): Promise<void> {
    await this.tab.evaluate(([key, value]) => localStorage.setItem(key, value), [LANGUAGE, language]);
  }

  /** Fills in the login, and sends it. */
  async enter(username: string, password = username === 'admin' ? 'admin' : PASSWORD): Promise<void> {
    await this.tab.fill('dialog.gate [name=username]', username);
    await this.tab.fill('dialog.gate [name=password]', password);
    await this.tab.click('dialog.gate form .primary');
  }

  /** Logs in, and waits for a page of the console. */
  async logIn(username = 'admin', password?: string): Promise<void> {
    await this.enter(username, password);
    await this.tab.locator('dialog.gate').waitFor({ state: 'detached' });
    await this.tab.locator('main h1').waitFor();
  }

  /** Waits for a page of this name. */
  async shows(heading: string | RegExp): Promise<void> {
    await this.tab.locator('main h1').filter({ hasText: heading }).waitFor();
  }

  /** Waits for what stands before the console. */
  async gate(heading: string): Promise<void> {
    await this.tab.locator('dialog.gate h1').filter({ hasText: heading }).waitFor();
  }

  /** Waits until the page says something, as a result or a failure. */
  async says(text: string | RegExp): Promise<void> {
    await this.tab.locator('.notice:visible').filter({ hasText: text }).first().waitFor();
  }

  /** A button or link of the page. */
  action(text: string): Locator {
    return this.tab
      .locator('main button:visible, main a:visible, nav a:visible, footer button:visible')
      .filter({ hasText: new RegExp(`^${text}$`) });
  }

  press(text: string): Promise<void> {
    return this.action(text).first().click();
  }

  /** The open dialog, which is no gate. */
  get dialog(): Locator {
    return this.tab.locator('dialog[open]:not(.gate)').last();
  }

  /** Presses the button of the dialog that does what it is about. */
  submit(): Promise<void> {
    return this.dialog.locator('form .form-actions button:not([type=button])').click();
  }

  /** The address below the console. */
  get path(): string {
    return this.tab.url().slice(this.url.length + 2);
  }

  /** What has happened until now that must not: also what a script of an attacker has left behind. */
  async harm(): Promise<string[]> {
    const left = await this.tab.evaluate<boolean>(
      "'pwned' in globalThis || 'pwned' in {} || 'pwned' in Object.prototype",
    );
    return [...this.incidents, ...(left ? ['a script has run'] : [])];
  }

  /** Waits until no request is under way, nor follows from the last answer. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.pending);
      await this.tab.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))',
      );
    } while (this.pending.size > 0);
  }
}
