import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { BOTH, freezeDate, sharedTestApp } from 'test-support';
import { OWN_PAGE } from '../browser/app.js';
import { LoginLinkApp } from './login-links-app.js';

const COMPLETE = '/v1/api/auth/login/link/complete';

describe.each(BOTH)('more attacks on login links, on %s', (platform) => {
  const app = sharedTestApp(new LoginLinkApp({ platform, imports: [KitAuthBrowserModule] }));
  beforeEach(() => app.sendAtOnce());
  afterEach(() => {
    jest.useRealTimers();
  });

  it('the browser of one link opens no other one', async () => {
    const [ada, eve] = [await app.addressed(), await app.addressed()];
    const [own, foreign] = [await app.linkTo(ada.address), await app.linkTo(eve.address)];
    expect(await app.outcome({ token: foreign.token }, own.cookie)).toBe('40010 other-browser');
    expect(await app.outcome({ token: foreign.token }, `${own.cookie}; ${foreign.cookie}`)).toBe(
      '40010 other-browser',
    );
    expect(await app.open(own)).toBe('200');
    expect(await app.open(foreign)).toBe('200');
  });

  it('a code is of no use with another address', async () => {
    const [ada, eve] = [await app.addressed(), await app.addressed()];
    const [own, foreign] = [await app.linkTo(ada.address), await app.linkTo(eve.address)];
    expect(await app.outcome({ email: ada.address, code: foreign.code })).toBe('40010');
    expect(await app.outcome({ email: eve.address, code: own.code })).toBe('40010');
    const both = { token: foreign.token, email: ada.address, code: own.code };
    expect(await app.outcome(both)).toBe('40010 other-browser');
  });

  it.each([
    '{"__proto__":{"token":"x"}}',
    '{"__proto__":{"email":"ada@example.com","code":"BCDFGHJK"}}',
    '{"constructor":{"prototype":{"token":"x"}}}',
    '{"token":null,"email":"ada@example.com","code":"BCDFGHJK"}',
    '{"email":"ada@example.com\\u0000","code":"BCDFGHJK"}',
    '{"email":"\\uff41da@example.com","code":"BCDFGHJK"}',
    '{"email":"ada@example.com","code":{"length":8}}',
    `{"email":"${'a'.repeat(70)}@example.com","code":"BCDFGHJK"}`,
    '[]',
    'null',
  ])('the body %s completes nothing', async (body) => {
    const headers = ['Content-Type: application/json'];
    const { status, json } = await app.request(COMPLETE, { method: 'POST', headers, body });
    expect([status, json.code]).toEqual([400, 40000]);
  });

  it('no form asks for a link or completes one', async () => {
    const { address } = await app.addressed();
    const link = await app.linkTo(address, {}, OWN_PAGE);
    const headers = ['Content-Type: application/x-www-form-urlencoded', `Cookie: ${link.cookie}`];
    for (const [path, body] of [
      ['/v1/api/auth/login/link', { email: address }],
      [COMPLETE, { token: link.token }],
      [COMPLETE, { email: address, code: link.code }],
    ] as const) {
      const answer = await app.request(path, {
        method: 'POST',
        headers,
        body: new URLSearchParams(body).toString(),
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.cookies).toEqual([]);
    }
    expect(await app.open(link)).toBe('200');
  });

  it('GET and HEAD complete nothing', async () => {
    const link = await app.linkTo((await app.addressed()).address);
    for (const method of ['GET', 'HEAD']) {
      const query = new URLSearchParams({ token: link.token }).toString();
      const answer = await app.request(`${COMPLETE}?${query}`, {
        method,
        headers: [`Cookie: ${link.cookie}`],
      });
      expect([answer.status, answer.cookies]).toEqual([404, []]);
    }
    expect(await app.open(link)).toBe('200');
  });

  it('the link of a user who is deleted, and whose address somebody else gets, logs nobody in', async () => {
    const pass = freezeDate();
    const gone = await app.addressed();
    const link = await app.linkTo(gone.address);
    await app.addresses.remove(gone.id);
    await app.users.delete({ id: gone.id });
    const next = await app.user();
    await app.addresses.assign(next.id, gone.address, { verified: true });
    expect(await app.open(link)).toBe('40010');
    expect(await app.outcome({ email: gone.address, code: link.code })).toBe('40010');
    pass(61_000);
    expect(await app.open(await app.linkTo(gone.address))).toBe('200');
  });
});
