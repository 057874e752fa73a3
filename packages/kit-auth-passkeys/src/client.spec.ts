import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { buildSync } from 'esbuild';
import { createAuthClient } from 'kit-auth-browser/client';
import { createPasskeys } from './client.js';

type Reply = [status: number, body?: object];

const OPTIONS = '/login/passkey/options';
const LOGIN = '/login/passkey';
const BYTES = [0xfb, 0xff, 0xbe, 0x01];
const TEXT = '-_--AQ'; // with what distinguishes base64url from base64
const native = () => Uint8Array.from(BYTES).buffer;
const begun = (more: object = {}): Reply => [
  200,
  { ceremony: 'kato_c', options: { challenge: TEXT, rpId: 'example.com', ...more }, expiresAt: 300 },
];
const user = { userId: 1, username: 'ada', nickname: 'Ada', superAdmin: false };

/** What the browser was asked for. */
interface Asked {
  kind: string;
  publicKey: Record<string, unknown>;
  mediation?: string;
  answer: (response: object) => void;
  fail: (name: string) => void;
}
let asked: Asked[];
let sent: [call: string, body: unknown][];
let replies: Record<string, Reply[]>;
let signals: [string, object][];
let page: { hidden: boolean; onVisible: (() => unknown) | undefined };
const paths = () => sent.map(([call]) => call);

/** A dialog of the browser, which the page can abort. */
function dialog(
  kind: string,
  { signal, ...options }: { signal: AbortSignal; publicKey: Asked['publicKey'] },
) {
  return new Promise((resolve, reject) => {
    const fail = (name: string) => reject(new DOMException('x', name));
    const answer = (response: object) =>
      resolve({
        id: TEXT,
        rawId: native(),
        type: 'public-key',
        response,
        getClientExtensionResults: () => ({ credProps: { rk: true } }),
      });
    asked.push({ kind, ...options, answer, fail });
    signal.addEventListener('abort', () => fail('AbortError'));
    if (signal.aborted) fail('AbortError');
  });
}

function globals(): object {
  const signal = (method: string) => (about: object) => {
    signals.push([method, about]);
    return Promise.reject(new TypeError('not of this domain'));
  };
  return {
    location: new URL('https://app.example.com/login'),
    localStorage: {},
    addEventListener: () => undefined,
    document: {
      get hidden() {
        return page.hidden;
      },
      addEventListener: (_type: string, listener: () => unknown) => (page.onVisible = listener),
    },
    PublicKeyCredential: {
      isConditionalMediationAvailable: () => Promise.resolve(true),
      signalUnknownCredential: signal('unknown'),
      signalAllAcceptedCredentials: signal('all'),
    },
    navigator: {
      credentials: {
        get: (options: never) => dialog('get', options),
        create: (options: never) => dialog('create', options),
      },
    },
  };
}

const before = new Map<string, PropertyDescriptor | undefined>();
beforeEach(() => {
  [asked, sent, replies, signals] = [[], [], {}, []];
  page = { hidden: false, onVisible: undefined };
  for (const [name, value] of Object.entries(globals())) {
    before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  jest.useFakeTimers();
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname.replace('/v1/api/auth', '');
    const text = await request.text();
    sent.push([`${request.method} ${path}`, text === '' ? undefined : JSON.parse(text)]);
    const [status, body] = replies[path]?.shift() ?? (path.endsWith('/options') ? begun() : [200, { user }]);
    return new Response(status === 204 ? null : JSON.stringify(body), { status });
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  for (const [name, descriptor] of before) {
    Reflect.deleteProperty(globalThis, name);
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
  }
});

const passkeys = () => createPasskeys(createAuthClient());
/** Lets everything happen that waits for no time. */
const settle = () => jest.advanceTimersByTimeAsync(0);
const ASSERTION = {
  clientDataJSON: native(),
  authenticatorData: native(),
  signature: native(),
  userHandle: native(),
};
const SENT = { clientDataJSON: TEXT, authenticatorData: TEXT, signature: TEXT, userHandle: TEXT };
const CREDENTIAL = {
  id: TEXT,
  rawId: TEXT,
  type: 'public-key',
  clientExtensionResults: { credProps: { rk: true } },
};

describe('the client', () => {
  it('is small', () => {
    const { outputFiles } = buildSync({
      entryPoints: ['packages/kit-auth-passkeys/src/client.ts'],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
    });
    expect(outputFiles[0]!.contents.length).toBeLessThan(2.6 * 1024);
  });

  it('logs in, and keeps the login as other logins', async () => {
    const done = passkeys().login({ remember: true });
    await settle();
    const [{ kind, publicKey, mediation, answer }] = asked as [Asked];
    expect([kind, mediation]).toEqual(['get', undefined]);
    expect(publicKey).toMatchObject({ challenge: Uint8Array.from(BYTES), rpId: 'example.com' });
    answer(ASSERTION);
    expect(await done).toEqual({ user });
    const response = { ...CREDENTIAL, response: SENT };
    expect(sent).toEqual([
      [`POST ${OPTIONS}`, { remember: true }],
      [`POST ${LOGIN}`, { remember: true, ceremony: 'kato_c', response }],
    ]);
    const { localStorage } = globalThis as unknown as { localStorage: object };
    expect(Object.values(localStorage)).toEqual([expect.stringMatching(/^0\.\d+ 0\.\d+$/)]);
  });

  it.each(['NotAllowedError', 'AbortError'])('takes %s for a cancel', async (name) => {
    const done = passkeys().login();
    await settle();
    asked[0]!.fail(name);
    expect(await done).toBeUndefined();
    expect(paths()).toEqual([`POST ${OPTIONS}`]);
  });

  it('passes other errors on, of the browser and of the server', async () => {
    const { login } = passkeys();
    const insecure = login();
    void insecure.catch(() => undefined);
    await settle();
    asked[0]!.fail('SecurityError');
    await expect(insecure).rejects.toMatchObject({ name: 'SecurityError' });

    replies = { [OPTIONS]: [[429, { code: 42900, message: 'Wait' }]], [LOGIN]: [[401, { code: 40113 }]] };
    await expect(login()).rejects.toMatchObject({ code: 42900, message: 'Wait', response: { status: 429 } });
    const wrong = login();
    void wrong.catch(() => undefined);
    await settle();
    asked[1]!.answer(ASSERTION);
    await expect(wrong).rejects.toMatchObject({ code: 40113, response: { status: 401 } });
  });

  it('adds a passkey', async () => {
    const user = { id: TEXT, name: 'ada' };
    const list = [{ id: TEXT, type: 'public-key' }];
    replies = { '/passkeys/options': [begun({ user, excludeCredentials: list })] };
    const done = passkeys().add({ name: 'Phone', endOthers: true });
    await settle();
    const { kind, publicKey, answer } = asked[0]!;
    expect(kind).toBe('create');
    const id = Uint8Array.from(BYTES);
    expect(publicKey).toMatchObject({
      user: { id, name: 'ada' },
      excludeCredentials: [{ id, type: 'public-key' }],
    });
    const getTransports = () => ['internal', 'hybrid'];
    answer({ clientDataJSON: native(), attestationObject: native(), getTransports });
    await done;
    expect(sent.at(-1)).toEqual([
      'POST /passkeys',
      {
        name: 'Phone',
        endOthers: true,
        ceremony: 'kato_c',
        response: {
          ...CREDENTIAL,
          response: { clientDataJSON: TEXT, attestationObject: TEXT, transports: ['internal', 'hybrid'] },
        },
      },
    ]);
  });

  it('completes a login in two steps, and confirms one, with the passkeys that the server names', async () => {
    const { second, confirm } = passkeys();
    const allowCredentials = [{ id: TEXT, type: 'public-key', transports: ['usb'] }];
    for (const [work, path, body] of [
      [
        () => second('kato_x', { remember: true }),
        '/login/factor',
        { challenge: 'kato_x', factor: 'passkey', remember: true },
      ],
      [() => confirm(), '/fresh', { factor: 'passkey' }],
    ] as const) {
      [asked, sent] = [[], []];
      replies = { [`${path}/options`]: [begun({ allowCredentials })] };
      const done = work();
      await settle();
      const [{ publicKey, answer }] = asked as [Asked];
      expect(publicKey['allowCredentials']).toEqual([
        { id: Uint8Array.from(BYTES), type: 'public-key', transports: ['usb'] },
      ]);
      answer(ASSERTION);
      expect(await done).toEqual({ user });
      const complete = { ...body, ceremony: 'kato_c', response: { ...CREDENTIAL, response: SENT } };
      expect(sent).toEqual([
        [`POST ${path}/options`, body],
        [`POST ${path}`, complete],
      ]);
    }
  });

  it('ends a dialog when another one begins', async () => {
    const { login, confirm } = passkeys();
    const first = login();
    await settle();
    const other = confirm();
    expect(await first).toBeUndefined();
    await settle();
    asked[1]!.answer(ASSERTION);
    expect(await other).toEqual({ user });
  });

  it('tells authenticators which passkeys there are, and which no longer', async () => {
    const { list, remove } = passkeys();
    const entry = (id: string) => ({
      id,
      signal: { rpId: 'example.com', userId: 'u', credentialId: `c${id}` },
    });
    replies = {
      '/passkeys': [
        [200, [entry('1'), entry('2')]],
        [200, []],
      ],
      '/passkeys/1': [[409, { code: 40900 }], [204]],
    };
    expect(await list()).toEqual([entry('1'), entry('2')]);
    expect(await list()).toEqual([]);
    await expect(remove(entry('1'))).rejects.toMatchObject({ code: 40900 });
    expect(signals).toEqual([
      [
        'all',
        expect.objectContaining({ rpId: 'example.com', userId: 'u', allAcceptedCredentialIds: ['c1', 'c2'] }),
      ],
    ]);
    await remove(entry('1'));
    expect(signals[1]).toEqual([
      'unknown',
      expect.objectContaining({ rpId: 'example.com', credentialId: 'c1' }),
    ]);
    expect(sent.at(-1)).toEqual(['DELETE /passkeys/1', undefined]);
  });

  it('tells authenticators nothing of a list that may lack what they have just made', async () => {
    const { add, list } = passkeys();
    const signal = { rpId: 'example.com', userId: 'u', credentialId: 'c' };
    replies = {
      '/passkeys/options': [begun({ user: { id: TEXT } })],
      '/passkeys': Array.from({ length: 5 }, () => [200, [{ id: '1', signal }]]),
    };
    const early = list();
    const added = add();
    await early;
    await settle();
    await list();
    const late = list();
    asked[0]!.answer({});
    await Promise.all([late, added]);
    expect(signals).toEqual([]);
    await list();
    expect(signals).toHaveLength(1);
  });

  it('knows browsers without passkeys, and those that cannot tell authenticators anything', async () => {
    const own = globalThis as { PublicKeyCredential?: object };
    const { isSupported, canAutofill, list, autofill } = passkeys();
    expect([isSupported(), await canAutofill()]).toEqual([true, true]);
    replies = { '/passkeys': Array.from({ length: 2 }, () => [200, [{ id: '1', signal: {} }]]) };
    own.PublicKeyCredential = {};
    expect([isSupported(), await canAutofill(), await list()]).toEqual([
      true,
      false,
      [{ id: '1', signal: {} }],
    ]);
    Reflect.deleteProperty(own, 'PublicKeyCredential');
    expect([isSupported(), await canAutofill(), await list()]).toEqual([
      false,
      false,
      [{ id: '1', signal: {} }],
    ]);
    autofill({ onLogin: () => undefined });
    await settle();
    expect(paths()).not.toContain(`POST ${OPTIONS}`);
  });
});

describe('autofill', () => {
  const onLogin = jest.fn();
  const onError = jest.fn();
  beforeEach(() => {
    onLogin.mockReset();
    onError.mockReset();
  });
  const offers = () => asked.filter(({ mediation }) => mediation === 'conditional').length;

  it('logs in with what the user chooses, once', async () => {
    passkeys().autofill({ onLogin, remember: true });
    await settle();
    expect(asked[0]!.mediation).toBe('conditional');
    asked[0]!.answer(ASSERTION);
    await settle();
    expect(onLogin.mock.calls).toEqual([[{ user }]]);
    expect(sent[1]![1]).toMatchObject({ remember: true, ceremony: 'kato_c' });
    await jest.advanceTimersByTimeAsync(10 * 60_000);
    expect(asked).toHaveLength(1);
  });

  it('asks for new options after four minutes, when somebody sees the page', async () => {
    const stop = passkeys().autofill({ onLogin, onError });
    await jest.advanceTimersByTimeAsync(4 * 60_000 - 1);
    expect(offers()).toBe(1);
    await jest.advanceTimersByTimeAsync(10);
    expect(offers()).toBe(2);
    page.hidden = true;
    await jest.advanceTimersByTimeAsync(60 * 60_000);
    expect(offers()).toBe(2);
    page.hidden = false;
    page.onVisible!();
    await settle();
    expect(offers()).toBe(3);
    stop();
    await jest.advanceTimersByTimeAsync(60 * 60_000);
    expect([offers(), onError.mock.calls]).toEqual([3, []]);
  });

  it('asks for new options when the device has slept, while timers stood still', async () => {
    passkeys().autofill({ onLogin, onError });
    await settle();
    jest.setSystemTime(Date.now() + 8 * 60 * 60_000);
    await jest.advanceTimersByTimeAsync(5010);
    expect([offers(), onError.mock.calls]).toEqual([2, []]);
  });

  it('waits longer after each failure, and goes on', async () => {
    replies = { [OPTIONS]: Array.from({ length: 9 }, () => [503, { code: 50300 }]) };
    passkeys().autofill({ onLogin, onError });
    const attempts: number[] = [];
    for (const seconds of [0, 2, 4, 8, 16, 32, 64, 128, 240]) {
      await jest.advanceTimersByTimeAsync(seconds * 1000 - (seconds && 1));
      attempts.push(sent.length);
      await jest.advanceTimersByTimeAsync(seconds && 1);
    }
    expect(attempts).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(onError.mock.calls.every(([error]) => (error as { code: number }).code === 50300)).toBe(true);
    await jest.advanceTimersByTimeAsync(240_000);
    expect([onError.mock.calls.length, offers()]).toEqual([9, 1]);
    replies = { [LOGIN]: [[401, { code: 40113 }]] };
    asked[0]!.answer(ASSERTION);
    await settle();
    expect(onError.mock.calls.at(-1)).toEqual([expect.objectContaining({ code: 40113 })]);
  });

  it('stops for a dialog, goes on after a cancel, and ends with a login', async () => {
    const { autofill, login } = passkeys();
    autofill({ onLogin, onError });
    await settle();
    const cancelled = login();
    await settle();
    expect(asked.map(({ mediation }) => mediation)).toEqual(['conditional', undefined]);
    asked[1]!.fail('NotAllowedError');
    expect(await cancelled).toBeUndefined();
    await settle();
    expect(offers()).toBe(2);

    replies = { [OPTIONS]: [[429, { code: 42900 }]] };
    await expect(login()).rejects.toMatchObject({ code: 42900 });
    await settle();
    expect(offers()).toBe(3);

    const done = login();
    await settle();
    asked.at(-1)!.answer(ASSERTION);
    expect(await done).toEqual({ user });
    await jest.advanceTimersByTimeAsync(10 * 60_000);
    expect([offers(), onLogin.mock.calls, onError.mock.calls]).toEqual([3, [], []]);
  });

  it('does not begin during a dialog, nor go on after it when it was stopped', async () => {
    const { autofill, login } = passkeys();
    for (const stopped of [false, true]) {
      asked = [];
      const cancelled = login();
      await settle();
      const stop = autofill({ onLogin, onError });
      await settle();
      expect(offers()).toBe(0);
      if (stopped) stop();
      asked[0]!.fail('NotAllowedError');
      expect(await cancelled).toBeUndefined();
      await settle();
      expect(offers()).toBe(stopped ? 0 : 1);
      stop();
    }
  });

  it('is replaced by another one', async () => {
    const { autofill } = passkeys();
    const stop = autofill({ onLogin, onError });
    await settle();
    const other = jest.fn();
    autofill({ onLogin: other });
    stop();
    await settle();
    asked.at(-1)!.answer(ASSERTION);
    await settle();
    expect([onLogin.mock.calls.length, other.mock.calls.length]).toEqual([0, 1]);
  });
});
