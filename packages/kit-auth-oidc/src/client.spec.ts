import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { createOidc, type Oidc } from './client.js';

const PAGE = 'https://app.example.com/login';

let page: { href: string; assigned: string[] };
let sent: [path: string, init: RequestInit][];
let reply: Response;
let oidc: Oidc;
let stored: Map<string, string>;
const names = ['location', 'history', 'sessionStorage'] as const;

beforeEach(() => {
  page = { href: PAGE, assigned: [] };
  sent = [];
  stored = new Map();
  Object.assign(globalThis, {
    location: {
      get href() {
        return page.href;
      },
      get hash() {
        return new URL(page.href).hash;
      },
      assign: (url: string) => page.assigned.push(url),
    },
    history: { state: null, replaceState: (_: unknown, __: string, url: string) => (page.href = url) },
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    },
  });
  reply = Response.json({ url: 'https://login.example.com/authorize' });
  oidc = createOidc(
    {
      fetch: async (path, init) => {
        sent.push([path, init]);
        return reply;
      },
    },
    'https://api.example.com/',
  );
});
afterEach(() => {
  names.forEach((name) => Reflect.deleteProperty(globalThis, name));
});

function comeBack(fragment: string): ReturnType<Oidc['result']> {
  page.href = `${PAGE}?x=1#${fragment}`;
  const result = oidc.result();
  expect(page.href).toBe(`${PAGE}?x=1`);
  expect(oidc.result()).toBeUndefined();
  return result;
}

describe('createOidc', () => {
  it('goes to a provider, and remembers a verifier', async () => {
    await oidc.start('google', { remember: true, returnTo: PAGE, prompt: 'select_account' });
    const url = new URL(page.assigned[0]!);
    expect(url.origin + url.pathname).toBe('https://api.example.com/v1/api/auth/oidc/google/start');
    const { challenge, ...query } = Object.fromEntries(url.searchParams);
    expect(query).toEqual({ remember: 'true', returnTo: PAGE, prompt: 'select_account' });
    const result = comeBack('code=kato_x');
    expect(result).toMatchObject({ status: 'code', code: 'kato_x' });
    const { verifier } = result as { verifier: string };
    expect(hash('sha256', verifier, 'base64url')).toBe(challenge);
    expect(stored.size).toBe(0);
  });

  it.each(['link', 'fresh'] as const)('begins %s with the token of the user', async (method) => {
    await oidc[method]('google', { returnTo: PAGE });
    const [[path, init]] = sent as [(typeof sent)[number]];
    expect([path, init.method]).toEqual([`v1/api/auth/oidc/google/${method}`, 'POST']);
    const body = { returnTo: PAGE, challenge: expect.stringMatching(/^[\w-]{43}$/) };
    expect(JSON.parse(init.body as string)).toEqual(body);
    expect(page.assigned).toEqual(['https://login.example.com/authorize']);
  });

  it('rejects with the code of a refusal', async () => {
    reply = Response.json({ code: 40120, message: 'Log in again', missing: ['password'] }, { status: 401 });
    await expect(oidc.link('google')).rejects.toMatchObject({ code: 40120, missing: ['password'] });
    expect(page.assigned).toEqual([]);
  });

  it('lists the providers, and logs out', async () => {
    reply = Response.json([{ name: 'google', title: 'Google' }]);
    expect(await oidc.list()).toEqual([{ name: 'google', title: 'Google' }]);
    reply = Response.json({ url: 'https://login.example.com/logout' });
    expect(await oidc.logout()).toBe(true);
    expect(page.assigned).toEqual(['https://login.example.com/logout']);
    reply = Response.json({});
    expect(await oidc.logout()).toBe(false);
  });

  it('tells the tabs of logins and logouts through the client of the page', async () => {
    const told: string[] = [];
    const auth = {
      fetch: async () => Response.json({ url: 'https://login.example.com/authorize' }),
      authenticate: async <T>(path: string) => {
        told.push(path);
        return {} as T;
      },
      loggedIn: () => void told.push('login'),
    };
    oidc = createOidc(auth);
    comeBack('kit-auth=ok');
    expect(told).toEqual(['login']);
    for (const method of ['link', 'fresh'] as const) {
      await oidc[method]('google');
      comeBack('kit-auth=ok');
    }
    comeBack('kit-auth=40114&reason=denied');
    expect(told).toEqual(['login']);
    await oidc.link('google'); // the user comes back without a result
    await oidc.start('google');
    comeBack('kit-auth=ok');
    expect(await oidc.logout()).toBe(false);
    expect(told).toEqual(['login', 'login', 'oidc/logout']);
    expect(stored.size).toBe(0);
  });

  it('reads how a login has ended', () => {
    expect(oidc.result()).toBeUndefined();
    page.href = `${PAGE}#section`;
    expect(oidc.result()).toBeUndefined();
    expect(page.href).toBe(`${PAGE}#section`);
    expect(comeBack('kit-auth=ok')).toEqual({ status: 'ok' });
    expect(comeBack('kit-auth=complete&token=kato_x&provider=google&address=a%40x.test&name=Ada')).toEqual({
      status: 'complete',
      token: 'kato_x',
      verifier: '',
      provider: 'google',
      address: 'a@x.test',
      name: 'Ada',
    });
    expect(comeBack('kit-auth=40114&reason=denied&provider=google')).toEqual({
      status: 'failed',
      code: 40114,
      reason: 'denied',
      provider: 'google',
    });
    expect(comeBack('kit-auth=40112&provider=google&challenge=kato_x&factors=totp%2Crecovery')).toEqual({
      status: 'failed',
      code: 40112,
      provider: 'google',
      challenge: 'kato_x',
      factors: ['totp', 'recovery'],
    });
  });

  it('is small', () => {
    const { outputFiles } = buildSync({
      entryPoints: [new URL('client.ts', import.meta.url).pathname],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    expect(outputFiles[0]!.contents.length).toBeLessThanOrEqual(2048);
  });
});
