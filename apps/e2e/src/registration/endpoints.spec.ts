import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  AUTH_CREDENTIAL,
  type AuthCredential,
  LOGIN_STEP,
  type LoginStep,
  type VerifiedLogin,
} from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { type Answer, BOTH, freezeDate, loginUser, PASSWORD, sharedTestApp, until } from 'test-support';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { RegistrationApp, withoutDelays } from './app.js';

let addresses = 0;
const newAddress = () => `guest-${++addresses}@example.com`;

/** A key of the administrator with few of the administrator's permissions. */
const KEY: AuthCredential = {
  prefix: 'regkey_',
  scheme: 'key',
  resolve: (token) => {
    const permissions = ['auth:user:write', 'note:read'];
    return { user: loginUser({ userId: Number(token.slice(7)), permissions }), proof: { factors: {} } };
  },
};

const succeeded: VerifiedLogin[] = [];
const STEP: LoginStep = { succeeded: async (login) => void succeeded.push(login) };

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});
beforeEach(withoutDelays);

/** All that an answer says, but the time. */
function bytesOf({ status, lines, text }: Answer): string {
  return [status, ...lines.map((line) => line.replace(/^(date|etag):.*/i, '$1')), text].join('\n');
}

describe.each(BOTH)('the endpoints of registration on %s', (platform) => {
  const app = sharedTestApp(new RegistrationApp({ platform, provider: 'session' }));

  async function known(fields = {}) {
    const user = await app.user(fields);
    const address = `Known-${++addresses}@example.com`;
    await app.addresses.assign(user.id, address, { verified: true });
    return { user, address };
  }

  it('answer the same for known, unknown and disabled addresses, also while the mailer hangs', async () => {
    const disabled = await known({ status: AuthUserStatus.DISABLED });
    const answers = async () => [
      bytesOf(await app.register((await known()).address)),
      bytesOf(await app.register(newAddress())),
      bytesOf(await app.register(disabled.address)),
    ];
    const all = await answers();
    await app.mailsSent();
    const { length } = app.box.mails;
    const release = app.box.hang();
    all.push(...(await answers()));
    await until(() => app.box.mails.length === length + 2 || undefined);
    all.push(...(await answers()));
    release();
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toMatch(/^202\n/);
  });

  it('use nothing up with other methods than POST', async () => {
    const token = await app.linkTo(newAddress());
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
      for (const path of ['register', 'register/complete']) {
        const target = `/v1/api/auth/${path}?token=${token}&password=${encodeURIComponent(PASSWORD)}`;
        expect((await app.request(target, { method })).status).toBe(404);
      }
    }
    const form = `token=${token}&password=${encodeURIComponent(PASSWORD)}`;
    const answer = await app.request('/v1/api/auth/register/complete', {
      method: 'POST',
      body: form,
      headers: ['Content-Type: application/x-www-form-urlencoded'],
    });
    expect(answer.json.code === 40000 || answer.status === 415).toBe(true);
    expect(await app.outcomeOf(token)).toBe('200');
  });

  it('refuse wrong bodies', async () => {
    for (const body of [
      '[]',
      '{"__proto__":{"email":"ada@example.com"}}',
      '{"email":"a@b.example","locale":""}',
    ]) {
      const headers = ['Content-Type: application/json'];
      const answer = await app.request('/v1/api/auth/register', { method: 'POST', headers, body });
      expect([answer.status, answer.json.code]).toEqual([400, 40000]);
    }
  });
});

describe('registration', () => {
  const app = sharedTestApp(
    new RegistrationApp({
      provider: 'session',
      providers: [
        { provide: LOGIN_STEP, useValue: STEP },
        { provide: AUTH_CREDENTIAL, useValue: KEY },
      ],
    }),
  );

  it('accepts no token of another purpose', async () => {
    const user = await app.user();
    const address = newAddress();
    const data = { key: address, address };
    for (const purpose of ['reset', 'verify-address', 'change-address']) {
      const { token } = await app.tokens.issue({ purpose, userId: user.id, data, ttlSeconds: 60 });
      expect(await app.outcomeOf(token)).toBe('40010');
    }
    const link = await app.linkTo(newAddress());
    for (const [path, body] of [
      ['password/reset', { token: link, newPassword: PASSWORD }],
      ['email/confirm', { token: link }],
    ] as const) {
      expect((await app.call(undefined, 'POST', path, body)).json.code).toBe(40010);
    }
    expect(await app.outcomeOf(link)).toBe('200');
  });

  it('refuses to complete with what is not allowed, which leaves the link', async () => {
    const email = newAddress();
    const token = await app.linkTo(email);
    const refused = [
      { nickname: 'Ada\u202e' },
      { password: [PASSWORD] },
      { password: `my ${email} 1` },
      { password: 'ab'.repeat(600) },
    ];
    for (const more of refused) {
      expect(await app.outcomeOf(token, more)).toMatch(/^40000/);
    }
    expect(await app.outcomeOf(token)).toBe('200');
  });

  it('refuses to invite with what is not allowed', async () => {
    const admin = await app.adminToken();
    const refused = [
      { roles: ['nobody'] },
      { roles: ['a', 'a'] },
      { roles: ['a'.repeat(3000)] },
      { nickname: '' },
      { locale: 'x' },
      { email: 'nobody' },
    ];
    for (const more of refused) {
      const answer = await app.call(admin, 'POST', 'invitations', { email: newAddress(), ...more });
      expect(answer.json.code).toBe(40000);
    }
  });

  it('lets an API key invite with its own permissions, not with those of its owner', async () => {
    const { id } = await app.administrator();
    const role = await app.role({ permissions: ['auth:role:read'] });
    const same = await app.role({ permissions: ['auth:user:write'] });
    const plain = await app.role({ permissions: ['note:delete'] });
    const invite = async (roles: string[]) =>
      (await app.call(`regkey_${id}`, 'POST', 'invitations', { email: newAddress(), roles })).json;
    expect((await invite([role.code])).code).toBe(40300);
    expect((await invite(['SUPER_ADMIN'])).code).toBe(40300);
    expect((await invite([same.code])).code).toBe(40120);
    expect((await invite([plain.code])).id).toEqual(expect.any(String));
  });

  it('opens a session of the client that completed, with the factors of its proof', async () => {
    const moveDate = freezeDate();
    moveDate(0);
    const address = newAddress();
    const { json } = await app.request('/v1/api/auth/register/complete', {
      method: 'POST',
      json: { token: await app.linkTo(address), password: PASSWORD },
      headers: ['User-Agent: the phone of Ada'],
    });
    const sessions = (await app.call(json.token, 'GET', 'sessions')).json as object[];
    expect(sessions).toEqual([expect.objectContaining({ userAgent: 'the phone of Ada', current: true })]);
    const now = Math.floor(Date.now() / 1000);
    expect(succeeded.at(-1)).toMatchObject({
      user: { username: address },
      proof: { factors: { password: now, email: now } },
    });
    expect(json.user.nickname).toBe(address.split('@')[0]);
  });
});

describe('registration by invitation only', () => {
  const app = sharedTestApp(
    new RegistrationApp({
      registration: { mode: 'invited' },
      email: { links: { ...links('reset', 'verify', 'invite') } },
    }),
  );

  it('refuses to register, and links from before', async () => {
    const { status, json } = await app.register(newAddress());
    expect([status, json.code, json.message]).toEqual([403, 40300, 'Registration is by invitation only']);
    expect(await app.outcomeOf(await app.linkTo(newAddress()))).toBe('40010');
  });

  it('accepts invitations', async () => {
    const token = await app.invitation(await app.adminToken(), newAddress());
    expect(await app.outcomeOf(token)).toBe('200');
  });
});

describe.each(BOTH)('registration with cookies and refresh tokens on %s', (platform) => {
  const app = sharedTestApp(
    new RegistrationApp({ platform, imports: [KitAuthBrowserModule.forRoot(), KitAuthRefreshModule] }),
  );
  const complete = async (more: object, ...headers: string[]) =>
    app.request('/v1/api/auth/register/complete', {
      method: 'POST',
      headers,
      json: { token: await app.linkTo(newAddress()), password: PASSWORD, ...more },
    });

  it('sets cookies for pages, which may be remembered', async () => {
    const answer = await complete({ remember: true }, OWN_PAGE);
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([200, ['expiresAt', 'user']]);
    expect(sentBack(answer)).toContain('kit-auth-remember');
    const me = await app.request('/v1/api/auth/me', { headers: [`Cookie: ${sentBack(answer)}`] });
    expect(me.json).toEqual(answer.json.user);
    expect(sentBack(await complete({}, OWN_PAGE))).not.toContain('kit-auth-remember');
  });

  it('sends refresh tokens to others', async () => {
    const { json, cookies } = await complete({});
    expect([Object.keys(json).sort(), cookies]).toEqual([['expiresAt', 'refreshToken', 'token', 'user'], []]);
    const { refreshToken } = json;
    expect((await app.call(undefined, 'POST', 'token/refresh', { refreshToken })).status).toBe(200);
  });

  it('gives pages of other origins no login', async () => {
    const answer = await complete({}, 'Sec-Fetch-Site: cross-site', 'Origin: https://evil.example');
    expect([answer.json.code, answer.cookies]).toEqual([40302, []]);
  });
});

function links(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `https://app.example/${name}#{token}`]));
}
