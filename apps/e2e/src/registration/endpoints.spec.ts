import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LOGIN_STEP, type LoginStep, type VerifiedLogin } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { type Answer, freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { LINKS, REGISTRATION_LINKS } from '../email/app.js';
import { RegistrationApp, withoutDelays } from './app.js';

let addresses = 0;
const newAddress = () => `guest-${++addresses}@example.com`;

const succeeded: VerifiedLogin[] = [];
const step: LoginStep = { succeeded: async (login) => void succeeded.push(login) };
const STEP = { provide: LOGIN_STEP, useValue: step };

afterEach(() => {
  jest.restoreAllMocks();
});
beforeEach(withoutDelays);

/** All that an answer says, but the time. */
function bytesOf({ status, lines, text }: Answer): string {
  return [status, ...lines.map((line) => line.replace(/^(date|etag):.*/i, '$1')), text].join('\n');
}

describe('registration', () => {
  const app = sharedTestApp(
    new RegistrationApp({ platform: 'fastify', provider: 'session', providers: [STEP] }),
  );

  it('answers the same for known, unknown and disabled addresses', async () => {
    const answers: string[] = [];
    for (const status of [AuthUserStatus.ENABLED, AuthUserStatus.DISABLED]) {
      const [{ id }, known] = [await app.user({ status }), newAddress()];
      await app.addresses.assign(id, known, { verified: true });
      answers.push(bytesOf(await app.register(known)), bytesOf(await app.register(newAddress())));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^202\n/);
  });

  it('opens a session of the client that completed, with the factors of its proof', async () => {
    freezeDate();
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
  });
});

it('by invitation only refuses to register, and links from before', async () => {
  const links = { ...LINKS, invite: REGISTRATION_LINKS.invite };
  const app = await new RegistrationApp({ registration: { mode: 'invited' }, email: { links } }).start();
  expect((await app.register(newAddress())).json.code).toBe(40300);
  expect(await app.outcomeOf(await app.linkTo(newAddress()))).toBe('40010');
  expect(await app.outcomeOf(await app.invitation(await app.adminToken(), newAddress()))).toBe('200');
});

describe('registration with cookies and refresh tokens', () => {
  const app = sharedTestApp(
    new RegistrationApp({ imports: [KitAuthBrowserModule.forRoot(), KitAuthRefreshModule] }),
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

  it('sends refresh tokens to others, and nothing to pages of other origins', async () => {
    const { json, cookies } = await complete({});
    expect([Object.keys(json).sort(), cookies]).toEqual([['expiresAt', 'refreshToken', 'token', 'user'], []]);
    const foreign = await complete({}, 'Sec-Fetch-Site: cross-site', 'Origin: https://evil.example');
    expect([foreign.json.code, foreign.cookies]).toEqual([40302, []]);
  });
});
