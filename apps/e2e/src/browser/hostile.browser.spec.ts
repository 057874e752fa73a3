import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { bearer, PASSWORD, postJson, sharedTestApp, tokenOf } from 'test-support';
import { BrowserApp } from './app.js';
import { sharedChromium } from './chromium.js';
import { startDemo } from '../demo/process.js';
import { DemoPage } from '../demo/page.js';

declare const document: any, Image: any, window: any;

const MALLORY = { username: 'mallory', password: 'a hostile one 4711' };

interface Attack {
  /** Runs in a hostile page, with the URL of the demo and that of the page's own server. */
  readonly attack: (app: string, own: string) => unknown;
  /** How many requests reach the demo that would change something, if they were those of its own page. */
  readonly requests: number;
  /** Whether its origin is `null`, so that it is of another site, wherever it comes from. */
  readonly isOpaque?: boolean;
}

const ATTACKS: Record<string, Attack> = {
  'a form': {
    requests: 3,
    attack: (app) => {
      for (const path of ['logout', 'token/end', 'token/refresh']) {
        const body = document.body as { insertAdjacentHTML: (where: string, html: string) => void };
        body.insertAdjacentHTML('beforeend', `<iframe name=${path}></iframe>`);
        body.insertAdjacentHTML(
          'beforeend',
          `<form method=post target=${path} action=${app}v1/api/auth/${path}></form>`,
        );
      }
      for (const form of document.forms) {
        form.submit();
      }
    },
  },
  fetch: {
    requests: 3,
    attack: (app) => {
      for (const path of ['logout', 'token/end', 'token/refresh']) {
        void fetch(`${app}v1/api/auth/${path}`, { method: 'POST', credentials: 'include' }).catch(() => {});
      }
      // Asks first, and is not allowed to.
      void fetch(`${app}v1/api/auth/sessions`, { method: 'DELETE', credentials: 'include' }).catch(() => {});
    },
  },
  'fetch without CORS': {
    requests: 4,
    attack: (app) => {
      const body = '{"username":"mallory","password":"a hostile one 4711","title":"x","text":"x"}';
      for (const path of ['api/auth/logout', 'api/auth/token/end', 'api/auth/login', 'notes']) {
        void fetch(`${app}v1/${path}`, { method: 'POST', mode: 'no-cors', credentials: 'include', body });
      }
    },
  },
  'a redirect that keeps the method': {
    requests: 1,
    attack: (app, own) => {
      const second = encodeURIComponent(`${own}redirect?to=${app}v1/api/auth/logout`);
      void fetch(`${own}redirect?to=${second}`, { method: 'POST', mode: 'no-cors', credentials: 'include' });
    },
  },
  'a sandboxed frame': {
    requests: 2,
    isOpaque: true,
    attack: (app) => {
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-scripts allow-forms';
      frame.srcdoc = `<form method=post action=${app}v1/api/auth/logout></form><script>
        fetch('${app}v1/api/auth/token/end', { method: 'POST', mode: 'no-cors', credentials: 'include' })
          .finally(() => document.forms[0].submit());</script>`;
      document.body.append(frame);
    },
  },
  'another window': {
    requests: 1,
    attack: (app) => {
      document.body.innerHTML = `<form method=post target=_blank action=${app}v1/api/auth/logout>`;
      document.forms[0].submit();
    },
  },
};

const profile = sharedChromium();

/** A server for the test: hostile pages, or what the demo is reached through. */
async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** Answers with an empty page, or redirects, and tosses cookies to the demo. */
const hostileServer = () =>
  createServer(({ url = '/', headers }, response) => {
    const to = new URL(url, `http://${headers.host}`).searchParams.get('to');
    response.writeHead(to === null ? 200 : 307, {
      'Content-Type': 'text/html',
      'Set-Cookie': ['__Host-kit-auth', '__Host-kit-auth-refresh', 'kit-auth'].map(
        (name) => `${name}=tossed; Domain=app.localhost; Path=/; Secure`,
      ),
      ...(to !== null && { Location: to }),
    });
    response.end();
  });

/** Passes requests on to the demo, and tells of each answer: a browser says nothing of some that a page must not read. */
const tellingProxy = (port: number, tell: (method: string, status: number) => void) =>
  createServer((received, response) => {
    const { method = '', url, headers } = received;
    const sent = request({ port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response).on('finish', () => tell(method, answer.statusCode!));
    });
    sent.on('error', () => response.destroy());
    received.pipe(sent);
  });

describe('hostile pages against the demo', () => {
  let context: BrowserContext;
  let page: DemoPage;
  let app: string;
  let hostileUrl: (host: string) => string;
  let tell: (method: string, status: number) => void = () => undefined;

  beforeAll(async () => {
    const hostile = await listen(hostileServer());
    hostileUrl = (host) => `http://${host}:${hostile}/`;
    const { port } = await startDemo({ KIT_DEMO_PLATFORM: 'fastify', DATABASE_URL: 'sqlite::memory:' }, true);
    await postJson(port, '/v1/api/auth/users', MALLORY, [bearer(await tokenOf(port))]);
    const proxy = await listen(tellingProxy(port, (method, status) => tell(method, status)));
    app = `http://app.localhost:${proxy}/`;
    context = await profile();
    page = await DemoPage.open(context, app);
    await page.logIn();
  });

  /** What the server has of the user, and the browser of the login. */
  async function state(): Promise<unknown> {
    const paths = ['/v1/api/auth/me', '/v1/api/auth/sessions', '/v1/notes'];
    const [me, sessions, notes] = await Promise.all(paths.map((path) => page.call('GET', path)));
    const ids = (JSON.parse(sessions!.text) as { id: string }[]).map(({ id }) => id);
    const cookies = (await context.cookies(app)).filter(({ name }) => name.startsWith('__Host-'));
    return [me!.text, ids, notes!.text, cookies];
  }

  /** Runs an attack until the demo has answered so many requests. @returns their statuses */
  async function run({ attack, requests }: Attack, host: string): Promise<number[]> {
    const hostile = await context.newPage();
    await hostile.goto(hostileUrl(host));
    const statuses: number[] = [];
    const answered = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`answers: ${statuses.join()}`)), 15_000);
      tell = (method, status) => {
        if (['POST', 'DELETE'].includes(method) && statuses.push(status) === requests) {
          clearTimeout(timer);
          resolve();
        }
      };
    });
    await hostile.evaluate(`(${attack.toString()})('${app}', '${hostileUrl(host)}')`).catch(() => undefined);
    await answered;
    await hostile.close();
    return statuses;
  }

  const everywhere = Object.keys(ATTACKS).flatMap((name) => [
    [name, 'another site', 'evil.localhost'],
    [name, 'a sub-domain', 'evil.app.localhost'],
  ]);

  it.each(everywhere)('%s of %s changes nothing', async (name, where, host) => {
    const attack = ATTACKS[name]!;
    const before = await state();
    const statuses = await run(attack, host);
    // 401: the browser has sent no cookie, as it should not from another site.
    const refusals = where === 'a sub-domain' && attack.isOpaque !== true ? [403] : [401, 403];
    expect(statuses.filter((status) => !refusals.includes(status))).toEqual([]);
    expect(await state()).toEqual(before);
  });

  it.each(['evil.localhost', 'evil.app.localhost'])(
    '%s can neither read, nor frame, nor script it',
    async (host) => {
      const hostile = await context.newPage();
      await hostile.goto(hostileUrl(host));
      const outcomes = await hostile.evaluate(async (app) => {
        const outcome = async (work: () => unknown) => {
          try {
            await work();
            return 'done';
          } catch (error) {
            return (error as Error).name;
          }
        };
        const opened = window.open(app);
        const frame = document.createElement('iframe');
        frame.src = app;
        const loaded = new Promise((resolve) => (frame.onload = resolve));
        document.body.append(frame);
        await loaded;
        return [
          await outcome(() => fetch(`${app}v1/api/auth/me`, { credentials: 'include' })),
          await outcome(() => opened.document.title),
          await outcome(() => frame.contentWindow.document.title),
          frame.contentWindow.length,
          await new Promise((resolve) => {
            const image = new Image();
            image.onload = () => resolve('loaded');
            image.onerror = () => resolve('broken');
            image.src = `${app}v1/api/auth/me`;
          }),
        ];
      }, app);
      expect(outcomes).toEqual(['TypeError', 'SecurityError', 'SecurityError', 0, 'broken']);
      const frame = hostile.frames().find((frame) => frame !== hostile.mainFrame());
      expect(await frame!.content()).not.toContain('guest-title');
      await hostile.close();
    },
  );

  it('shows a user who follows a link that the login is there, and lets no cookie be tossed', async () => {
    const hostile = await context.newPage();
    await hostile.goto(hostileUrl('evil.app.localhost'));
    await hostile.evaluate((app) => {
      for (const name of ['__Host-kit-auth', '__Host-kit-auth-refresh', 'kit-auth']) {
        document.cookie = `${name}=tossed; Domain=app.localhost; Path=/; Secure`;
        document.cookie = `${name}=tossed; Domain=app.localhost; Path=/v1; Secure`;
      }
      window.location.href = app;
    }, app);
    await hostile.locator('#sessions li').first().waitFor();
    expect(await hostile.evaluate(() => document.cookie)).not.toContain('__Host-');
    await hostile.close();
  });
});

describe('pages of the same site that prefetch', () => {
  const app = sharedTestApp(new BrowserApp({ sameSite: 'strict' }));
  let context: BrowserContext;
  let elsewhere: number;
  const address = () => `http://app.localhost:${app.port}/v1/notes/export`;

  beforeAll(async () => {
    elsewhere = await listen(hostileServer());
    const { username } = await app.user();
    context = await profile();
    const page = await context.newPage();
    await page.goto(address()); // any page of the origin
    const credentials = JSON.stringify({ username, password: PASSWORD });
    const status = await page.evaluate(async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch('/v1/api/auth/login', { method: 'POST', headers, body })).status;
    }, credentials);
    expect(status).toBe(200);
  });

  it.each([
    ['a sub-domain', 'evil.app.localhost', 'prefetch'],
    ['another port', 'app.localhost', 'prerender'],
  ])('from %s (%s) by the rule %s do not reach @SameOrigin()', async (_where, host, rule) => {
    const hostile = await context.newPage();
    await hostile.goto(`http://${host}:${elsewhere}/`);
    const prefetched = new Promise<unknown[]>((resolve) => {
      app.server.once('request', ({ headers }: IncomingMessage, response: ServerResponse) => {
        response.once('finish', () =>
          resolve([
            headers['sec-fetch-site'],
            headers['sec-purpose'],
            'cookie' in headers,
            response.statusCode,
          ]),
        );
      });
    });
    await hostile.evaluate(
      ([url, kind]) => {
        const script = document.createElement('script');
        script.type = 'speculationrules';
        script.textContent = JSON.stringify({
          [kind]: [{ source: 'list', urls: [url], eagerness: 'immediate' }],
        });
        document.head.append(script);
      },
      [address(), rule] as const,
    );
    expect(await prefetched).toEqual(['none', expect.stringContaining('prefetch'), true, 403]);
    await hostile.close();
  });

  it('reach it when the user types the address', async () => {
    const page = await context.newPage();
    expect((await page.goto(address()))!.status()).toBe(200);
    await page.close();
  });
});
