import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { buildSync } from 'esbuild';
import { type AuthClientError, type AuthClientOptions, createAuthClient } from './client.js';

declare const localStorage: Record<string, string>;

type Reply = [status: number, body?: object, headers?: Record<string, string>] | Error;

const PAGE = { location: new URL('https://app.example/start'), addEventListener: () => undefined };
const REFUSED: Reply = [401, { code: 40101, reason: 'expired' }];
const OK: Reply = [200, {}];

/** What the server was asked, as `POST /v1/notes`, and what it says next. */
let asked: string[];
let requests: Request[];
let replies: Record<string, Reply[]>;
let ends: string[];

function client(options: AuthClientOptions = {}) {
  return createAuthClient({ onEnd: (reason) => ends.push(reason), ...options });
}

beforeEach(() => {
  Object.assign(globalThis, PAGE, { localStorage: {} });
  [asked, requests, ends, replies] = [[], [], [], {}];
  jest.useFakeTimers();
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    await request.clone().text(); // as it would be sent
    requests.push(request);
    const { origin, pathname } = new URL(request.url);
    const call = `${request.method} ${origin === PAGE.location.origin ? '' : origin}${pathname}`;
    asked.push(call);
    const reply = replies[call]?.shift() ?? OK;
    if (reply instanceof Error) {
      throw reply;
    }
    const [status, body, headers = {}] = reply;
    return new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  for (const name of [...Object.keys(PAGE), 'localStorage']) {
    Reflect.deleteProperty(globalThis, name);
  }
});

const REFRESH = 'POST /v1/api/auth/token/refresh';

describe('the client', () => {
  it('is small', () => {
    const { outputFiles } = buildSync({
      entryPoints: ['packages/kit-auth-browser/src/client.ts'],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
    });
    // 660 bytes of it are socket(), which would be larger in a module of its own: it needs the refresh and the tabs.
    expect(outputFiles[0]!.contents.length).toBeLessThan(3300);
  });

  it('refreshes once for many requests, and sends each of them again', async () => {
    replies = { 'GET /v1/notes': Array.from({ length: 20 }, () => REFUSED) };
    const auth = client();
    const answers = await Promise.all(Array.from({ length: 20 }, () => auth.fetch('/v1/notes')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(asked.filter((call) => call === REFRESH)).toHaveLength(1);
    expect([asked.length, ends]).toEqual([41, []]);
  });

  it('refreshes once for all tabs, so that no token is sent twice', async () => {
    let last: Promise<unknown> = Promise.resolve();
    const request = <T>(_name: string, _options: object, work: () => Promise<T>) => {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    };
    const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? { value: undefined };
    const locked = { value: { locks: { request } }, configurable: true };
    Object.defineProperty(globalThis, 'navigator', locked);
    const tabs = [client(), client(), client()];
    for (let round = 1; round <= 4; round++) {
      replies = { 'GET /v1/notes': [REFUSED, REFUSED, REFUSED] };
      const answers = await Promise.all(tabs.map((tab) => tab.fetch('/v1/notes')));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(asked.filter((call) => call === REFRESH)).toHaveLength(round);
    }
    Object.defineProperty(globalThis, 'navigator', { ...own, configurable: true });
  });

  it('sends methods and bodies again, but no streams', async () => {
    replies = { 'POST /v1/notes': [REFUSED, OK, REFUSED, OK, REFUSED] };
    const auth = client();
    const init = { method: 'POST', body: '{"title":"x"}', headers: { 'X-Own': '1' } };
    expect((await auth.fetch('/v1/notes', init)).status).toBe(200);
    expect((await auth.fetch(new Request('https://app.example/v1/notes', init))).status).toBe(200);
    const sent = requests.filter(({ url }) => url.endsWith('/v1/notes'));
    for (const request of sent) {
      expect([await request.text(), request.headers.get('X-Own')]).toEqual(['{"title":"x"}', '1']);
    }
    const body = new Blob(['x']).stream();
    expect((await auth.fetch('/v1/notes', { method: 'POST', body, duplex: 'half' })).status).toBe(401);
    expect([sent.length, requests.length]).toEqual([4, 7]);
  });

  it('leaves other refusals alone, and a second one', async () => {
    replies = {
      'GET /v1/a': [
        [401, { code: 40100 }],
        [401, { code: 40120 }],
        [401, {}],
        [403, { code: 40300 }],
      ],
      'GET /v1/b': [REFUSED, REFUSED],
    };
    const auth = client();
    for (const status of [401, 401, 401, 403]) {
      expect((await auth.fetch('/v1/a')).status).toBe(status);
    }
    expect(asked).not.toContain(REFRESH);
    expect((await auth.fetch('/v1/b')).status).toBe(401);
    expect(asked.filter((call) => call === REFRESH)).toHaveLength(1);
  });

  it.each<[string, Reply, string]>([
    ['the reason of the refresh', [401, { code: 40101, reason: 'reused' }], 'reused'],
    ['that of the request, where nothing can be refreshed', [404, { message: 'Cannot POST' }], 'expired'],
    ['that of the request, without a refresh token', [400, { code: 40000 }], 'expired'],
  ])('says once that the login is over: %s', async (_name, reply, reason) => {
    replies = { 'GET /v1/notes': [REFUSED, REFUSED, REFUSED], [REFRESH]: [reply, reply] };
    const auth = client();
    const answers = [await auth.fetch('/v1/notes'), await auth.fetch('/v1/notes')];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect([ends, asked.filter((call) => call === REFRESH).length]).toEqual([[reason], 1]);

    replies[REFRESH] = [[401, { reason: 'idle' }]];
    await auth.login({ username: 'ada', password: 'x' });
    await auth.fetch('/v1/notes');
    expect(ends).toEqual([reason, 'idle']);
  });

  it('repeats a refresh that fails, and takes no failure for an end', async () => {
    const busy: Reply = [503, { code: 50300 }];
    replies = { 'GET /v1/notes': [REFUSED], [REFRESH]: [busy, new TypeError('no network')] };
    const auth = client();
    const waiting = auth.fetch('/v1/notes');
    await jest.advanceTimersByTimeAsync(900);
    expect(asked).toEqual(['GET /v1/notes', REFRESH]);
    await jest.advanceTimersByTimeAsync(5000);
    expect((await waiting).status).toBe(200);

    replies = { 'GET /v1/notes': [REFUSED, REFUSED], [REFRESH]: Array.from({ length: 3 }, () => busy) };
    const failing = Promise.allSettled([auth.fetch('/v1/notes'), auth.fetch('/v1/notes')]);
    await jest.advanceTimersByTimeAsync(20_000);
    for (const outcome of await failing) {
      expect(outcome).toMatchObject({ reason: { code: 50300, response: { status: 503 } } });
    }
    expect(ends).toEqual([]);
    expect((await auth.fetch('/v1/notes')).status).toBe(200);
  });

  it('refreshes for 40100 if it knows of a login, whose cookie may be gone', async () => {
    const missing: Reply = [401, { code: 40100 }];
    const auth = client();
    replies = { 'GET /v1/notes': [missing] };
    expect((await auth.fetch('/v1/notes')).status).toBe(401);
    await auth.login({ username: 'ada', password: 'x' });
    replies = { 'GET /v1/notes': [missing] };
    expect((await auth.fetch('/v1/notes')).status).toBe(200);
    expect(asked.filter((call) => call === REFRESH)).toHaveLength(1);
  });

  it('looks again for a newer token, before it takes a replaced one for the end', async () => {
    const replaced: Reply = [401, { code: 40101, reason: 'replaced' }];
    replies = { 'GET /v1/notes': [REFUSED], [REFRESH]: [replaced] };
    const waiting = client().fetch('/v1/notes');
    await jest.advanceTimersByTimeAsync(1000);
    expect([(await waiting).status, ends]).toEqual([200, []]);
    replies = { 'GET /v1/notes': [REFUSED], [REFRESH]: [replaced, replaced, replaced] };
    const last = client().fetch('/v1/notes');
    await jest.advanceTimersByTimeAsync(10_000);
    expect([(await last).status, ends]).toEqual([401, ['replaced']]);
  });

  it('logs in and out, and tells who is logged in', async () => {
    const user = { userId: 1, username: 'ada', nickname: 'Ada', superAdmin: false };
    replies = {
      'POST /v1/api/auth/login': [
        [401, { code: 40110, message: 'Wrong' }],
        [200, { user, expiresAt: 4 }],
      ],
      'GET /v1/api/auth/me': [[401, { code: 40100 }], [200, user], [500]],
      'POST /v1/api/auth/token/end': [[404], [204]],
      'POST /v1/api/auth/logout': [[503, { code: 50300 }]],
    };
    const auth = client();
    expect(await auth.me()).toBeUndefined();
    const form = { username: 'ada', password: 'x', remember: true };
    await expect(auth.login(form)).rejects.toMatchObject({ code: 40110, message: 'Wrong' });
    expect(await auth.login(form)).toEqual({ user, expiresAt: 4 });
    expect(await requests.at(-1)!.json()).toEqual(form);
    expect(await auth.me()).toEqual(user);
    await expect(auth.me()).rejects.toMatchObject({ response: { status: 500 } });
    await expect(auth.logout()).rejects.toMatchObject({ code: 50300 });
    expect(ends).toEqual([]);
    await auth.logout();
    expect(ends).toEqual(['logged-out']);
  });

  it('completes a login with a second factor, which is another login than the one before', async () => {
    const challenge = { code: 40112, challenge: 'kato_x', factors: ['totp', 'recovery'], expiresAt: 4 };
    replies = {
      'POST /v1/api/auth/login': [OK, [401, challenge]],
      'POST /v1/api/auth/login/factor': [[401, { code: 40113 }], OK],
    };
    const auth = client();
    const credentials = { username: 'ada', password: 'x', remember: true };
    await auth.login(credentials);
    const [first] = Object.values(localStorage);
    await expect(auth.login(credentials)).rejects.toMatchObject(challenge);
    const form = { challenge: 'kato_x', factor: 'totp', code: '123456', remember: true };
    await expect(auth.login(form)).rejects.toMatchObject({ code: 40113 });
    expect(Object.values(localStorage)).toEqual([first]); // nobody has logged in meanwhile
    await auth.login(form);
    expect(await requests.at(-1)!.json()).toEqual(form);
    expect(Number.parseFloat(Object.values(localStorage)[0]!)).not.toBe(Number.parseFloat(first!));
    expect([asked.length, ends]).toEqual([4, []]);
  });

  it('shows the password or a second factor again, with a refresh in between', async () => {
    const fresh = 'POST /v1/api/auth/fresh';
    replies = { [fresh]: [REFUSED, [401, { code: 40110 }], [200, { expiresAt: 4 }]] };
    const auth = client();
    await expect(auth.fresh('wrong')).rejects.toMatchObject({ code: 40110 });
    expect(await auth.fresh('right')).toEqual({ expiresAt: 4 });
    expect(asked).toEqual([fresh, REFRESH, fresh, fresh]);
    expect(await requests.at(-1)!.json()).toEqual({ password: 'right' });
    await auth.fresh({ factor: 'totp', code: '123456' });
    expect(await requests.at(-1)!.json()).toEqual({ factor: 'totp', code: '123456' });
  });

  it('begins a login at any endpoint of logins, and continues one at any other', async () => {
    const [login, confirm] = ['POST /v1/api/auth/login/link', 'POST /v1/api/auth/links'];
    replies = {
      [login]: [[401, { code: 40113 }], OK],
      [confirm]: [REFUSED, [201, { id: 7 }], [409, { code: 40900, reason: 'last' }]],
    };
    const auth = client();
    const state = () => Object.values(localStorage)[0]?.split(' ');
    await expect(auth.authenticate('login/link', { token: 'x' })).rejects.toMatchObject({ code: 40113 });
    expect(state()).toBeUndefined();
    await auth.authenticate('login/link', { token: 'y' });
    expect(await requests.at(-1)!.json()).toEqual({ token: 'y' });
    const [first, token] = state()!;
    expect(await auth.authenticate<object>('links', {})).toEqual({ id: 7 });
    expect(state()![0]).toBe(first); // the same login, with a new token
    expect(state()![1]).not.toBe(token);
    await auth.authenticate('login/link', {});
    expect(state()![0]).not.toBe(first);
    await expect(auth.authenticate('links', {})).rejects.toMatchObject({ code: 40900, reason: 'last' });
    expect([asked.filter((call) => call === REFRESH).length, ends]).toEqual([1, []]);
  });

  it('calls logins and logouts of the application, at any path', async () => {
    const auth = client({ baseUrl: '/shop/' });
    const [login, logout] = ['POST /account/sign-in', 'POST /account/sign-out'];
    replies = {
      [login]: [[401, { code: 40110 }], OK, OK],
      [logout]: [[404, { message: 'Cannot POST' }], [204]],
    };
    const form = { email: 'ada@example.com', password: 'x' };
    await expect(auth.authenticate('/account/sign-in', form)).rejects.toMatchObject({ code: 40110 });
    await auth.authenticate('/account/sign-in', form);
    const [first] = Object.values(localStorage);
    await auth.authenticate('/account/sign-in', form);
    expect(parseFloat(Object.values(localStorage)[0]!)).not.toBe(parseFloat(first!)); // another login
    await expect(auth.logout('/account/sign-out')).rejects.toMatchObject({ response: { status: 404 } });
    expect(ends).toEqual([]);
    await auth.logout('/account/sign-out');
    expect([ends, asked]).toEqual([['logged-out'], [login, login, login, logout, logout]]);
    auth.loggedIn();
    auth.loggedOut();
    expect([ends, Object.values(localStorage)]).toEqual([['logged-out', 'logged-out'], ['logged-out']]);
  });

  it('tells the tabs of a login without it, and of the end of one at a provider', async () => {
    const auth = client();
    const logins = () => Object.values(localStorage).map((state) => parseFloat(state));
    await auth.login({ username: 'ada', password: 'x' });
    const before = logins();
    auth.loggedIn();
    expect(logins()).toEqual([expect.any(Number)]);
    expect(logins()).not.toEqual(before);
    const logout = 'POST /v1/api/auth/oidc/logout';
    replies = {
      'GET /v1/notes': [[401, { code: 40100 }]],
      [logout]: [[503, { code: 50300 }], REFUSED, [200, { url: 'https://login.example' }]],
    };
    expect((await auth.fetch('/v1/notes')).status).toBe(200); // it knows of the login
    await expect(auth.authenticate('oidc/logout', {})).rejects.toMatchObject({ code: 50300 });
    expect(ends).toEqual([]);
    expect(await auth.authenticate<object>('oidc/logout', {})).toEqual({ url: 'https://login.example' });
    expect([ends, Object.values(localStorage)]).toEqual([['logged-out'], ['logged-out']]);
    expect(asked.filter((call) => call === REFRESH)).toHaveLength(2);
  });

  it('sends credentials to the origin of the API, and to no other', async () => {
    const auth = client({ baseUrl: 'https://api.example/shop/' });
    replies = { 'GET https://api.example/shop/v1/notes': [REFUSED] };
    await auth.fetch('v1/notes');
    expect(asked[1]).toBe('POST https://api.example/shop/v1/api/auth/token/refresh');
    expect(requests.map(({ credentials }) => credentials)).toEqual(['include', 'include', 'include']);

    replies = { 'GET https://api.example.evil/x': [REFUSED] };
    expect((await auth.fetch('https://api.example.evil/x')).status).toBe(401);
    expect(requests.slice(3).map(({ credentials }) => credentials)).toEqual(['same-origin']);
  });
});

interface SocketEvent {
  code: number;
  reason: string;
  data: unknown;
}

/** What the browser does with a WebSocket. The test is the server. */
class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 0;
  readonly sent: unknown[] = [];
  onopen?: (event: unknown) => void;
  onmessage?: (event: Partial<SocketEvent>) => void;
  onclose?: (event: Partial<SocketEvent>) => void;

  constructor(
    readonly url: string,
    readonly protocols?: string | string[],
  ) {
    FakeSocket.all.push(this);
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.({ target: this });
  }

  send(data: unknown): void {
    this.sent.push(data);
  }

  close(code = 1005, reason = ''): void {
    if (this.readyState !== 3) {
      this.readyState = 3;
      this.onclose?.({ code, reason });
    }
  }
}

describe('a request of one user', () => {
  const userOf = (userId: number) => ({ userId, username: `u${userId}`, nickname: '', superAdmin: false });
  const [ada, bob] = [userOf(1), userOf(2)];
  const LOGIN = 'POST /v1/api/auth/login';
  const OLD: Reply = [401, { code: 40120, missing: ['password'] }];
  const changed = { code: 'LOGIN_CHANGED', message: 'LOGIN_CHANGED', response: { status: 401 } };
  const logInAs = (auth: ReturnType<typeof client>, user: object) => {
    replies[LOGIN] = [[200, { user }]];
    return auth.login({ username: 'x', password: 'x' });
  };
  /** Lets another tab log in as soon as this call is answered. */
  const meanwhile = (call: string, user: object = bob) => {
    const other = client();
    const send = jest.mocked(globalThis.fetch).getMockImplementation()!;
    jest.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      const response = await send(input, init);
      if (asked.at(-1) === call) {
        await logInAs(other, user);
      }
      return response;
    });
  };

  it.each([['GET'], ['DELETE']])(
    'is not sent again as another, who has logged in in another tab: %s',
    async (method) => {
      const auth = client();
      await logInAs(auth, ada);
      const call = `${method} /v1/notes/7`;
      replies[call] = [REFUSED];
      meanwhile(call);
      await expect(auth.fetch('/v1/notes/7', { method })).rejects.toMatchObject(changed);
      expect(asked.filter((it) => it === call)).toHaveLength(1);
      expect([asked.includes(REFRESH), ends]).toEqual([false, []]);
      expect((await auth.fetch('/v1/notes/7', { method })).status).toBe(200);
    },
  );

  it('is not sent again where the page did not know of the login before', async () => {
    const auth = client();
    replies['DELETE /v1/notes/7'] = [REFUSED];
    meanwhile('DELETE /v1/notes/7');
    await expect(auth.fetch('/v1/notes/7', { method: 'DELETE' })).rejects.toMatchObject(changed);
    replies['GET /v1/notes'] = [REFUSED];
    localStorage['kit-auth /'] = '';
    expect((await client().fetch('/v1/notes')).status).toBe(200); // nobody else has logged in
  });

  it('is not sent again for a login that begins during the refresh', async () => {
    const auth = client();
    await logInAs(auth, ada);
    replies['DELETE /v1/notes/7'] = [REFUSED];
    replies[REFRESH] = [[200, { user: ada }]];
    meanwhile(REFRESH);
    await expect(auth.fetch('/v1/notes/7', { method: 'DELETE' })).rejects.toMatchObject(changed);
  });

  it.each(['login()', 'me()'])(
    'is not sent again if the refresh was that of another, of whom the tab has not heard: known by %s',
    async (how) => {
      let logins = 0;
      const auth = client({ onLogin: () => logins++ });
      await logInAs(auth, ada);
      let page = auth;
      if (how === 'me()') {
        page = client({ onLogin: () => logins++ });
        replies['GET /v1/api/auth/me'] = [[200, ada]];
        await page.me();
      }
      replies['DELETE /v1/notes/7'] = [REFUSED];
      replies[REFRESH] = [[200, { user: bob }]];
      await expect(page.fetch('/v1/notes/7', { method: 'DELETE' })).rejects.toMatchObject(changed);
      expect([asked.filter((it) => it.startsWith('DELETE')).length, logins]).toEqual([1, 1]);
      replies['DELETE /v1/notes/7'] = [REFUSED];
      replies[REFRESH] = [[200, { user: bob }]];
      expect((await page.fetch('/v1/notes/7', { method: 'DELETE' })).status).toBe(200);
      expect(logins).toBe(1);
    },
  );

  it('is sent again after the refresh of another tab', async () => {
    const auth = client();
    const other = client();
    await logInAs(auth, ada);
    replies = {
      'DELETE /v1/notes/7': [REFUSED],
      'GET /v1/other': [REFUSED],
      [REFRESH]: [[200, { user: ada }]],
    };
    const send = jest.mocked(globalThis.fetch).getMockImplementation()!;
    jest.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      const response = await send(input, init);
      if (asked.at(-1) === 'DELETE /v1/notes/7' && response.status === 401) {
        await other.fetch('/v1/other');
      }
      return response;
    });
    expect((await auth.fetch('/v1/notes/7', { method: 'DELETE' })).status).toBe(200);
    expect(asked.filter((it) => it === REFRESH)).toHaveLength(1);
  });

  it('is not confirmed by another: requireSameLogin() throws after a login in any tab', async () => {
    const auth = client();
    await logInAs(auth, ada);
    replies['DELETE /v1/notes/7'] = [OLD, OLD, OLD];
    const refused = await auth.fetch('/v1/notes/7', { method: 'DELETE' });
    replies['POST /v1/api/auth/fresh'] = [[200, { user: ada }]];
    await auth.fresh('x');
    expect(() => auth.requireSameLogin(refused)).not.toThrow();
    await logInAs(client(), bob);
    expect(() => auth.requireSameLogin(refused)).toThrow(
      expect.objectContaining({ ...changed, response: refused }),
    );
    const own = await auth.fetch('/v1/notes/7', { method: 'DELETE' });
    expect(() => auth.requireSameLogin(own)).not.toThrow();
    replies['POST /v1/api/auth/links'] = [OLD];
    const { response } = (await auth
      .authenticate('links', {})
      .catch((error: unknown) => error)) as AuthClientError;
    expect(() => auth.requireSameLogin(response)).not.toThrow();
    expect(() => auth.requireSameLogin(new Response())).toThrow('LOGIN_CHANGED'); // not of this client
  });

  it('is not confirmed with the cookies of another, of whom the tab has not heard', async () => {
    const auth = client();
    await logInAs(auth, ada);
    replies['DELETE /v1/notes/7'] = [OLD];
    const refused = await auth.fetch('/v1/notes/7', { method: 'DELETE' });
    replies['POST /v1/api/auth/fresh'] = [[200, { user: bob }]];
    await auth.fresh('x');
    expect(() => auth.requireSameLogin(refused)).toThrow('LOGIN_CHANGED');
  });
});

describe('a socket of the client', () => {
  beforeEach(() => {
    FakeSocket.all = [];
    Object.assign(globalThis, { WebSocket: FakeSocket });
    let random = 0; // the longest delays, and different states
    jest.spyOn(Math, 'random').mockImplementation(() => (random += 1e-9));
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'WebSocket');
  });

  function opened(auth = client(), url: string | URL = '/live') {
    const seen: string[] = [];
    const socket = auth.socket(url, ['v1']);
    socket.onopen = () => seen.push('open');
    socket.onmessage = ({ data }) => seen.push(`message ${String(data)}`);
    socket.onclose = ({ code, reason }) => seen.push(`close ${code} ${reason}`);
    latest().open();
    return { auth, socket, seen };
  }
  const latest = () => FakeSocket.all.at(-1)!;
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  const logIn = async () => {
    const auth = client();
    await auth.login({ username: 'ada', password: 'x' });
    asked = [];
    return auth;
  };

  it('is one of the API, and passes everything on', async () => {
    const { socket, seen } = opened();
    expect([latest().url, latest().protocols, socket.readyState]).toEqual([
      'wss://app.example/live',
      ['v1'],
      1,
    ]);
    latest().onmessage?.({ data: 'x' });
    socket.send('y');
    socket.close(4000, 'done');
    await pass(60_000);
    expect([seen, latest().sent, socket.readyState]).toEqual([
      ['open', 'message x', 'close 4000 done'],
      ['y'],
      3,
    ]);
    opened(client({ baseUrl: 'http://localhost:3000/shop/' }), 'live?room=1');
    expect(latest().url).toBe('ws://localhost:3000/shop/live?room=1');
    opened(client(), new URL('wss://live.example/x'));
    expect(latest().url).toBe('wss://live.example/x');
    expect([FakeSocket.all.length, asked]).toEqual([3, []]);
  });

  it('connects again after 1, 2, 4 and at most 30 seconds, and sooner after a connection that lasted', async () => {
    const { seen } = opened();
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      const { length } = FakeSocket.all;
      latest().close(1006);
      await pass(seconds * 1000 - 2);
      expect(FakeSocket.all).toHaveLength(length);
      await pass(2);
      expect(FakeSocket.all).toHaveLength(length + 1);
      latest().open();
    }
    await pass(10_001);
    latest().close(1001);
    jest.mocked(Math.random).mockReturnValue(1);
    await pass(1000);
    latest().close(1006);
    await pass(1000); // half of two seconds
    expect(FakeSocket.all).toHaveLength(10);
    expect([seen.filter((it) => it !== 'open'), asked, ends]).toEqual([[], [], []]);
  });

  it('refreshes once for all sockets that the end of a token closes, and connects again', async () => {
    const auth = await logIn();
    const [a, b] = [opened(auth), opened(auth)];
    const [first, second] = FakeSocket.all as [FakeSocket, FakeSocket];
    first.close(4401, 'expired');
    second.close(4401, 'expired');
    await pass(1000);
    expect([asked, FakeSocket.all.length]).toEqual([[REFRESH], 4]);
    FakeSocket.all.slice(2).forEach((it) => it.open());
    expect([a.seen, b.seen, ends]).toEqual([['open', 'open'], ['open', 'open'], []]);
    // The cookie has gone with the token.
    latest().close(4401);
    await pass(4000);
    expect([asked, FakeSocket.all.length]).toEqual([[REFRESH, REFRESH], 5]);
  });

  it('does not refresh if requests have done so since it connected', async () => {
    const auth = await logIn();
    opened(auth);
    replies = { 'GET /v1/notes': [REFUSED] };
    await auth.fetch('/v1/notes');
    latest().close(4401, 'expired');
    await pass(1000);
    expect([asked.filter((call) => call === REFRESH).length, FakeSocket.all.length]).toEqual([1, 2]);
  });

  it.each<[string, Reply]>([
    ['kicked', [401, { code: 40101, reason: 'kicked' }]],
    ['password-changed', [404, { message: 'Cannot POST' }]], // where nothing can be refreshed
  ])('stays closed when the login is over, and says so once: %s', async (reason, reply) => {
    const auth = await logIn();
    const [a, b] = [opened(auth), opened(auth)];
    replies = { [REFRESH]: [reply] };
    const [first, second] = FakeSocket.all as [FakeSocket, FakeSocket];
    first.close(4401, reason);
    await pass(60_000);
    second.close(1006);
    await pass(60_000);
    expect([a.seen.at(-1), b.seen.at(-1)]).toEqual([`close 4401 ${reason}`, 'close 1006 ']);
    expect([ends, asked, FakeSocket.all.length]).toEqual([[reason], [REFRESH], 2]);
  });

  it('takes a failed refresh for no end', async () => {
    const { auth, seen } = opened(await logIn());
    replies = { [REFRESH]: Array.from({ length: 3 }, () => [503, { code: 50300 }]) };
    latest().close(4401, 'expired');
    await pass(3000 + 1000);
    expect([FakeSocket.all.length, asked.length, ends]).toEqual([2, 3, []]);
    latest().close(4401, 'expired');
    await pass(2000);
    expect([FakeSocket.all.length, asked.length, ends, seen]).toEqual([3, 4, [], ['open']]);
    await auth.logout();
    latest().close(4401, 'logged-out');
    await pass(60_000);
    expect([FakeSocket.all.length, ends, seen.at(-1)]).toEqual([3, ['logged-out'], 'close 4401 logged-out']);
  });

  it.each([
    ...[1000, 1005, 4000, 4403].map((code) => [code, false] as const),
    ...[1001, 1006, 1012, 1013, 4408, 4429].map((code) => [code, true] as const),
  ])('after %d connects again: %j', async (code, connects) => {
    const { seen } = opened(await logIn());
    latest().close(code, 'x');
    await pass(60_000);
    expect([FakeSocket.all.length > 1, seen.includes(`close ${code} x`)]).toEqual([connects, !connects]);
    expect([asked, ends]).toEqual([[], []]);
  });

  it('stays closed if the page closes it, or the login ends, while it waits', async () => {
    const auth = await logIn();
    const { socket, seen } = opened(auth);
    latest().close(1006);
    socket.close();
    await pass(0);
    expect(seen).toEqual(['open', 'close 1006 ']);
    const other = opened(auth);
    latest().close(1006);
    await auth.logout();
    await pass(60_000);
    expect([other.seen, FakeSocket.all.length]).toEqual([['open', 'close 1006 '], 2]);
  });

  it('stays closed once another login has begun, after a lost connection or a refresh', async () => {
    const auth = await logIn();
    const [lost, expired] = [opened(auth), opened(auth)];
    const [first, second] = FakeSocket.all as [FakeSocket, FakeSocket];
    await logIn(); // in another tab
    first.close(1006);
    second.close(4401, 'expired');
    await pass(60_000);
    expect([lost.seen, expired.seen]).toEqual([
      ['open', 'close 1006 '],
      ['open', 'close 4401 expired'],
    ]);
    expect([FakeSocket.all.length, ends]).toEqual([2, []]);
  });

  it('stays closed without a login', async () => {
    opened();
    latest().close(4401);
    await pass(60_000);
    expect([FakeSocket.all.length, asked, ends]).toEqual([1, [], []]);
    const auth = await logIn();
    await auth.logout();
    opened(auth);
    latest().close(4401, 'expired');
    await pass(60_000);
    expect([FakeSocket.all.length, asked, ends]).toEqual([
      2,
      ['POST /v1/api/auth/token/end'],
      ['logged-out'],
    ]);
  });
});
