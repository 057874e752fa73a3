import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { BrowserContext, Page } from 'playwright-core';
import { PASSWORD } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { type PageServer, servePage } from '../browser/page-server.js';
import { SocketsApp } from './app.js';

declare const WebSocket: any;

const HOST = 'app.localhost';
const profile = sharedChromium();
let hostile: PageServer;

beforeAll(async () => {
  hostile = await servePage();
});
afterAll(() => hostile.close());

/** Logs in from a page of the application's own origin. */
async function logIn(context: BrowserContext, app: SocketsApp): Promise<Page> {
  const { username } = await app.user();
  const page = await context.newPage();
  await page.goto(`http://${HOST}:${app.port}/v1/api/auth/me`);
  const status = await page.evaluate(
    async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch('/v1/api/auth/login', { method: 'POST', headers, body })).status;
    },
    JSON.stringify({ username, password: PASSWORD }),
  );
  expect(status).toBe(200);
  return page;
}

/** Asks a gateway of ws who its user is. @returns the answer, or the code of the end */
const askWs = (page: Page, app: SocketsApp): Promise<unknown> =>
  page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => socket.send('{"event":"who"}');
        socket.onmessage = ({ data }: { data: string }) => resolve(data);
        socket.onclose = ({ code, reason }: { code: number; reason: string }) =>
          resolve(`${code} ${reason}`.trim());
      }),
    `ws://${HOST}:${app.port}/chat`,
  );

/** Connects to a namespace of socket.io by long polling. @returns the answer to CONNECT */
const poll = (page: Page, app: SocketsApp): Promise<unknown> =>
  page.evaluate(async (url) => {
    const poll = async (sid: string, init: object = {}) =>
      (await fetch(`${url}&sid=${sid}`, { credentials: 'include', ...init })).text();
    const { sid } = JSON.parse((await poll('')).slice(1)) as { sid: string };
    await poll(sid, { method: 'POST', body: '40/chat,' });
    return await poll(sid);
  }, `http://${HOST}:${app.port}/socket.io/?EIO=4&transport=polling`);

/** Lets every page read the answers, as an application that is set up wrongly. */
class OpenAdapter extends IoAdapter {
  override createIOServer(port: number, options?: object): any {
    const cors = { origin: (_: unknown, allow: (error: null, ok: boolean) => void) => allow(null, true) };
    return super.createIOServer(port, { ...options, cors: { ...cors, credentials: true } } as never);
  }
}

it.each([
  {
    name: 'sockets of ws',
    options: { adapter: 'ws' },
    ask: askWs,
    own: /"same":true/,
    // The browser sends no cookie to another site; other upgrades are answered with 403.
    others: ['4401 missing', '1006', '1006'],
  },
  {
    name: 'long polling with cors that lets all in',
    options: { adapter: 'socket.io', configure: (nest) => nest.useWebSocketAdapter(new OpenAdapter(nest)) },
    ask: poll,
    own: /^40\/chat,/,
    others: ['"code":40100', '"code":40302', '"code":40302'],
  },
] satisfies {
  name: string;
  options: ConstructorParameters<typeof SocketsApp>[0];
  ask: typeof poll;
  own: RegExp;
  others: string[];
}[])(
  '$name have the user of the cookie on pages of their own origin only',
  async ({ options, ask, ...expected }) => {
    const app = await new SocketsApp({
      ...options,
      provider: 'session',
      imports: [KitAuthBrowserModule],
    }).start();
    const context = await profile();
    expect(await ask(await logIn(context, app), app)).toMatch(expected.own);
    app.seen.length = 0;
    for (const [i, host] of ['evil.localhost', `evil.${HOST}`, HOST].entries()) {
      const other = await context.newPage();
      await other.goto(`http://${host}:${hostile.port}/`);
      expect(await ask(other, app)).toContain(expected.others[i]);
    }
    expect(app.seen.filter((line) => line.startsWith('connected'))).toEqual([]);
  },
);
