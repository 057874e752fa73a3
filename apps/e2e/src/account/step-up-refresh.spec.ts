import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { AuthManager, LOGIN_STEP, type LoginStep, RequireFresh } from 'kit-auth';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { BOTH, freezeDate, PASSWORD, sharedTestApp, sweepOf } from 'test-support';
import { BrowserApp, OWN_PAGE, sentBack } from '../browser/app.js';
import { claimsOf, RefreshApp } from '../refresh/app.js';

@Controller('v1/keys')
class KeysController {
  @Get()
  @RequireFresh()
  list() {
    return [];
  }
}

const MINUTE = 60_000;
const ROUNDS = 10;
const AT_ONCE = 5;

afterEach(() => {
  jest.useRealTimers();
});

describe.each(sweepOf(BOTH, ['fastify']))('POST fresh with refresh tokens on %s', (platform) => {
  const confirmed = new Map<string, () => unknown>();
  const changing = new Map<string, () => Promise<unknown>>();
  const step: LoginStep = {
    succeeded: async ({ user }) => {
      await changing.get(user.username)?.();
      void confirmed.get(user.username)?.();
    },
  };
  const app = sharedTestApp(
    new RefreshApp({
      platform,
      controllers: [KeysController],
      providers: [{ provide: LOGIN_STEP, useValue: step }],
    }),
  );
  const codeOf = (token: string) => app.codeOf(token, '/v1/keys');
  const fresh = (token: string) => app.call(token, 'POST', 'fresh', { password: PASSWORD });

  it('keeps the login, and ends its former refresh token', async () => {
    const pass = freezeDate();
    const { username } = await app.user();
    const { json: login } = await app.login(username);
    pass(9 * MINUTE);
    const { status, json } = await fresh(login.token);
    expect([status, Object.keys(json).sort()]).toEqual([200, Object.keys(login).sort()]);
    expect(claimsOf(json.token)).toMatchObject({
      sid: claimsOf(login.token).sid,
      exp: json.expiresAt,
      factors: { password: Math.floor(Date.now() / 1000) },
    });
    const refreshed = await app.refresh(json.refreshToken);
    expect(refreshed.status).toBe(200);
    expect(await codeOf(refreshed.json.token)).toBe(200);
    expect(await app.outcomeOf(login.refreshToken)).toMatch(/^40101/);
  });

  it('leaves the login as it is when the roles change meanwhile', async () => {
    const { id, username } = await app.user();
    const { json: login } = await app.login(username);
    changing.set(username, () => app.users.update({ id }, { securityStamp: 'of other roles' }));
    expect((await fresh(login.token)).json.code).toBe(40110);
    expect(await app.outcomeOf(login.refreshToken)).toBe('200');
  });

  it('is the only way to a younger login: twenty refreshes are not', async () => {
    const pass = freezeDate();
    const { username } = await app.user();
    let { json } = await app.login(username);
    for (let i = 0; i < 20; i++) {
      pass(31_000);
      ({ json } = await app.refresh(json.refreshToken));
    }
    expect((await app.request('/v1/keys', { token: json.token })).json).toMatchObject({
      code: 40120,
      reason: 'expired',
      missing: ['password'],
    });
    expect(await codeOf((await fresh(json.token)).json.token)).toBe(200);
  });

  it('leaves nothing alive when the login ends at the same time', async () => {
    const round = async (_: unknown, i: number) => {
      const { username } = await app.user();
      const { json: login } = await app.login(username);
      const end = () =>
        i % 2 === 0 ? app.call(login.token, 'POST', 'logout') : app.endToken(login.refreshToken);
      let ended: ReturnType<typeof end> | undefined;
      confirmed.set(username, () => (ended ??= end()));
      const { json } = await fresh(login.token);
      const { status } = (await ended) ?? {};
      expect([204, 401]).toContain(status);
      const live = await app.codeOf(json.token ?? login.token);
      const refreshed = await app.outcomeOf(json.refreshToken ?? login.refreshToken);
      return status === 204 ? [live, refreshed] : [];
    };
    for (let rounds = 0; rounds < ROUNDS; rounds += AT_ONCE) {
      const outcomes = (await Promise.all(Array.from({ length: AT_ONCE }, round))).flat();
      expect(outcomes.filter((outcome) => ![40101, '40101 logged-out'].includes(outcome))).toEqual([]);
    }
  });

  it('opens a login for a token of a time without them', async () => {
    const user = await app.user();
    const former = await app.issueToken({ userId: user.id, username: user.username });
    const { json } = await fresh(former);
    expect(await app.outcomeOf(json.refreshToken)).toBe('200');
    await app.get(AuthManager).logout(json.token);
    expect(await app.stateOf(json.token)).toBe('40101 logged-out');
  });
});

describe.each(['session', 'refresh'] as const)('POST fresh with cookies and %s', (kind) => {
  const options = kind === 'session' ? { provider: 'session' as const } : { imports: [KitAuthRefreshModule] };
  const app = sharedTestApp(new BrowserApp({}, options));

  it('replaces the cookies, and shows no token to the page', async () => {
    const former = await app.cookieOf(await app.user());
    const answer = await app.request('/v1/api/auth/fresh', {
      method: 'POST',
      json: { password: PASSWORD },
      headers: [OWN_PAGE, `Cookie: ${former}`],
    });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json)).not.toContain('token');
    expect(Object.keys(answer.json)).not.toContain('refreshToken');
    const cookie = sentBack(answer);
    expect(cookie).not.toBe(former);
    expect((await app.request('/v1/api/auth/me', { headers: [`Cookie: ${cookie}`] })).status).toBe(200);
  });

  it('is refused to pages of other origins', async () => {
    const cookie = await app.cookieOf(await app.user());
    const answer = await app.request('/v1/api/auth/fresh', {
      method: 'POST',
      json: { password: PASSWORD },
      headers: ['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example', `Cookie: ${cookie}`],
    });
    expect(answer.json.code).toBe(40302);
  });
});
