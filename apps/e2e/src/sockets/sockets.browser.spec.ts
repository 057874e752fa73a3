import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { BrowserContext, Page } from 'playwright-core';
import { BOTH, PASSWORD, sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { SocketsApp } from './app.js';

declare const WebSocket: any;

const HOST = 'app.localhost';
const profile = sharedChromium();
let hostile: Server;
let hostilePort: number;

beforeAll(async () => {
  hostile = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end());
  hostile.listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  hostilePort = (hostile.address() as AddressInfo).port;
});
afterAll(() => void hostile.close());

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
function askWs(page: Page, url: string): Promise<unknown> {
  return page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => socket.send('{"event":"who"}');
        socket.onmessage = ({ data }: { data: string }) => resolve(JSON.parse(data));
        socket.onclose = ({ code, reason }: { code: number; reason: string }) =>
          resolve(`${code} ${reason}`.trim());
      }),
    url,
  );
}

/** Connects to a namespace of socket.io by long polling. @returns the answer to CONNECT, or the name of an error */
function connectByPolling(page: Page, url: string): Promise<string> {
  return page.evaluate(async (url) => {
    try {
      const poll = async (sid: string, init: object = {}) =>
        (await fetch(`${url}&sid=${sid}`, { credentials: 'include', ...init })).text();
      const { sid } = JSON.parse((await poll('')).slice(1)) as { sid: string };
      await poll(sid, { method: 'POST', body: '40/chat,' });
      return await poll(sid);
    } catch (error) {
      return (error as Error).name;
    }
  }, url);
}

describe.each(BOTH)('sockets of real pages on %s', (platform) => {
  const app = sharedTestApp(
    new SocketsApp({ platform, provider: 'session', imports: [KitAuthBrowserModule] }),
  );
  let page: Page;
  let context: BrowserContext;
  const url = () => `ws://${HOST}:${app.port}/chat`;

  beforeAll(async () => {
    context = await profile();
    page = await logIn(context, app);
  });
  beforeEach(() => {
    app.seen.length = 0;
  });

  it('have the user of the cookie on a page of their own origin', async () => {
    expect(await askWs(page, url())).toMatchObject({ event: 'who', data: { same: true } });
  });

  it.each([
    ['another site', 'evil.localhost', '4401 missing'], // the browser sends no cookie
    ['a sub-domain', `evil.${HOST}`, '1006'], // the upgrade is answered with 403
    ['another port', HOST, '1006'],
  ])('are refused on a page of %s', async (_, host, end) => {
    const other = await context.newPage();
    await other.goto(`http://${host}:${hostilePort}/`);
    expect(await askWs(other, url())).toBe(end);
    expect(app.seen).toEqual([]);
    await other.close();
  });
});

/** Lets every page read the answers, as an application that is set up wrongly. */
class OpenAdapter extends IoAdapter {
  override createIOServer(port: number, options?: object): any {
    const cors = { origin: (_: unknown, allow: (error: null, ok: boolean) => void) => allow(null, true) };
    return super.createIOServer(port, { ...options, cors: { ...cors, credentials: true } } as never);
  }
}

describe('long polling of real pages', () => {
  const app = sharedTestApp(
    new SocketsApp({
      adapter: 'socket.io',
      provider: 'session',
      imports: [KitAuthBrowserModule],
      configure: (nest: INestApplication) => nest.useWebSocketAdapter(new OpenAdapter(nest)),
    }),
  );
  let page: Page;
  let context: BrowserContext;
  const url = () => `http://${HOST}:${app.port}/socket.io/?EIO=4&transport=polling`;

  beforeAll(async () => {
    context = await profile();
    page = await logIn(context, app);
  });

  it('has the user on a page of its own origin, and refuses others, even where cors lets them in', async () => {
    expect(await connectByPolling(page, url())).toMatch(/^40\/chat,/);
    app.seen.length = 0;
    for (const [host, code] of [
      ['evil.localhost', 40100],
      [`evil.${HOST}`, 40302],
      [HOST, 40302],
    ] as const) {
      const other = await context.newPage();
      await other.goto(`http://${host}:${hostilePort}/`);
      expect(await connectByPolling(other, url())).toMatch(new RegExp(`^44/chat,.*"code":${code}`));
      await other.close();
    }
    expect(app.seen).toEqual([]);
  });
});
