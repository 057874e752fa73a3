import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { bearer, postJson, tokenOf, totpCode } from 'test-support';

export const ADMIN = { username: 'admin', password: 'admin' };
export const MEMBER_PASSWORD = 'a right one 4711';

/** Where demos run. Each page is tested on one of them, and in a sweep on both. */
export const ON_EXPRESS = { platform: 'express', provider: 'jwt' } as const;
export const ON_FASTIFY = { platform: 'fastify', provider: 'session' } as const;
export const DEMOS = [ON_EXPRESS, ON_FASTIFY];

/** Creates a member in a demo. @returns the credentials */
export async function createMember({ port }: { port: number }, username: string) {
  const user = { username, password: MEMBER_PASSWORD, roles: ['member'] };
  const admin = bearer(await tokenOf(port));
  expect((await postJson(port, '/v1/api/auth/users', user, [admin])).status).toBe(201);
  return user;
}

interface Called {
  status: number;
  text: string;
}

/** A tab with the page of the demo. */
export class DemoPage {
  private constructor(readonly tab: Page) {}

  static async open(context: BrowserContext, url: string): Promise<DemoPage> {
    const page = new DemoPage(await context.newPage());
    await page.tab.goto(url);
    await page.tab.locator('main > section:not([hidden])').waitFor();
    return page;
  }

  async logIn({ username, password } = ADMIN, remember = false): Promise<void> {
    await this.tab.fill('#username', username);
    await this.tab.fill('#password', password);
    await this.tab.setChecked('[name=remember]', remember);
    await this.tab.click('#login button');
    await this.tab.locator('#sessions li').first().waitFor();
  }

  /** Fills the fields of a form, by their names, and sends it. */
  async submit(form: string, fields: Record<string, string> = {}): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      await this.tab.fill(`#${form} [name=${name}]`, value);
    }
    await this.tab.click(`#${form} button`);
  }

  /** Tries a route of the page. @returns what it shows of the answer */
  async tryRoute(path: string, as: 'login' | 'nobody' | 'damaged' = 'login'): Promise<string> {
    await this.tab.check(`#send-as [value=${as}]`);
    await this.tab.evaluate("document.getElementById('tried').textContent = ''");
    await this.tab.click(`#routes [aria-label="Send GET ${path}"]`);
    await this.tab.locator('#tried:not(:empty)').waitFor({ state: 'attached' });
    await this.tab.locator('#answer').waitFor();
    return this.tab.locator('#answer').innerText();
  }

  /** Waits until the page says something that fits. */
  async says(text: string | RegExp): Promise<void> {
    await this.tab.locator('#message').filter({ hasText: text }).waitFor();
  }

  /** Waits for a screen of the page. */
  async shows(id: string): Promise<void> {
    await this.tab.locator(`#${id}:not([hidden])`).waitFor();
  }

  /** Adds an app for codes. @returns its secret */
  async addPhone(demo: { now: () => number }): Promise<string> {
    await this.submit('add-factor', { name: 'My phone' });
    await this.shows('enrolment');
    const secret = (await this.tab.textContent('#secret'))!.replaceAll(' ', '');
    await this.submit('enrolment', { code: totpCode(secret, demo.now()) });
    await this.shownOnce();
    return secret;
  }

  /** What the page shows this once. Closes it. */
  async shownOnce(): Promise<string> {
    await this.tab.locator('#once[open]').waitFor();
    const text = (await this.tab.textContent('#once-text'))!;
    await this.tab.click('#once-close');
    await this.tab.locator('#once:not([open])').waitFor({ state: 'hidden' });
    return text;
  }

  /** Waits until the page says something. */
  async message(): Promise<string> {
    await this.tab.locator('#message:not(:empty)').waitFor();
    return (await this.tab.textContent('#message'))!;
  }

  async showsGuest(): Promise<void> {
    await this.tab.locator('#guest:not([hidden])').waitFor();
  }

  /** Calls the demo as a script of the page does: with `fetch` itself, or with a client. */
  call(method: string, path: string, body?: unknown, by: 'fetch' | 'client' = 'fetch'): Promise<Called> {
    return this.tab.evaluate(
      async ([method, path, body, by, module]) => {
        const { createAuthClient } = await import(module);
        const page = globalThis as { testClient?: { fetch: typeof fetch } };
        const client = (page.testClient ??= createAuthClient() as { fetch: typeof fetch });
        const headers = { 'Content-Type': 'application/json' };
        const init = { method, ...(body !== undefined && { body, headers }) };
        const response = await (by === 'client' ? client.fetch(path, init) : fetch(path, init));
        return { status: response.status, text: await response.text() };
      },
      [method, path, body === undefined ? body : JSON.stringify(body), by, '/client.js'] as const,
    );
  }
}
