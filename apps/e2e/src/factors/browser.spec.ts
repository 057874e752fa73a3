import { beforeEach, describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import type { AuthUser } from 'kit-auth/typeorm';
import { type Answer, BOTH, freezeDate, optionsFor, pairsOf, PASSWORD, sharedTestApp } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { codeOf, type Device, FactorsApp, outcomeOf, STEP_MS } from './app.js';

describe.each(pairsOf(BOTH, ['jwt with refresh tokens', 'stateful sessions'] as const))(
  'second factors in a browser on %s with %s',
  (platform, tokens) => {
    const app = sharedTestApp(
      new FactorsApp({
        ...optionsFor(tokens, KitAuthBrowserModule.forRoot({ origins: ['https://front.example'] })),
        platform,
      }),
    );
    let pass: (milliseconds: number) => void;
    let user: AuthUser;
    let cookie: string;
    const post = (path: string, json: object, ...headers: string[]) =>
      app.request(`/v1/api/auth/${path}`, {
        method: 'POST',
        json,
        headers: headers.length === 0 ? [`Cookie: ${cookie}`, OWN_PAGE] : headers,
      });
    const loginPage = async (password = PASSWORD) => app.login(user.username, password, OWN_PAGE);
    const hasToken = ({ text }: Answer) => /"(?:token|refreshToken)"/.test(text);
    const me = async (cookies: string) =>
      (await app.request('/v1/api/auth/me', { headers: [`Cookie: ${cookies}`] })).status;

    beforeEach(async () => {
      pass = freezeDate();
      user = await app.user();
      cookie = sentBack(await loginPage());
    });

    /** Adds a device from a page, and goes on with the cookies of the answer. */
    const enrol = async (): Promise<Device & { answer: Answer }> => {
      const device = (await post('factors/totp', { name: 'Phone' })).json as Device;
      const answer = await post(`factors/totp/${device.id}/confirm`, { code: codeOf(device) });
      expect(answer.status).toBe(200);
      cookie = sentBack(answer);
      return { ...device, answer };
    };

    it('are added without a token in a body', async () => {
      const { answer } = await enrol();
      expect([hasToken(answer), answer.json.recoveryCodes.length]).toEqual([false, 10]);
      expect(cookie).toContain('__Host-kit-auth=');
      expect(await me(cookie)).toBe(200);
      const { json } = await app.request('/v1/proof', { headers: [`Cookie: ${cookie}`] });
      expect(Object.keys(json).sort()).toEqual(['password', 'totp']);
    });

    it('are asked for without a cookie, which comes with the code', async () => {
      const device = await enrol();
      pass(STEP_MS);
      const asked = await loginPage();
      expect([asked.json.code, asked.cookies, hasToken(asked)]).toEqual([40112, [], false]);
      const { challenge } = asked.json as { challenge: string };
      const json = { challenge, factor: 'totp', code: codeOf(device) };
      const answer = await post('login/factor', json, OWN_PAGE);
      expect([answer.status, hasToken(answer), await me(sentBack(answer))]).toEqual([200, false, 200]);
      expect(answer.json.user).toMatchObject({ username: user.username });
      expect(answer.cookies.every((line) => !/Max-Age=[1-9]/.test(line))).toBe(true);
      pass(STEP_MS);
      const again = (await loginPage()).json.challenge as string;
      const remembered = { challenge: again, factor: 'totp', code: codeOf(device), remember: true };
      const { cookies } = await post('login/factor', remembered, OWN_PAGE);
      expect(cookies.some((line) => /Max-Age=[1-9]/.test(line))).toBe(true);
    });

    it('are taken from no page of another site', async () => {
      const device = await enrol();
      pass(STEP_MS);
      const { challenge } = (await loginPage()).json as { challenge: string };
      const json = { challenge, factor: 'totp', code: codeOf(device) };
      const line = 'Sec-Fetch-Site: cross-site';
      expect((await post('login/factor', json, line)).json.code).toBe(40302);
      const added = await post('factors/totp', { name: 'Theirs' }, `Cookie: ${cookie}`, line);
      expect(added.json.code).toBe(40302);
      expect(outcomeOf(await post('login/factor', json, 'Origin: https://front.example'))).toBe('200');
    });

    it('confirm a login in a cookie', async () => {
      const device = await enrol();
      pass(11 * 60_000);
      const fresh = () => app.request('/v1/proof/fresh', { headers: [`Cookie: ${cookie}`] });
      if (tokens === 'jwt with refresh tokens') {
        cookie = sentBack(await post('token/refresh', {}));
      }
      expect((await fresh()).json.code).toBe(40120);
      const answer = await post('fresh', { factor: 'totp', code: codeOf(device) });
      expect([answer.status, hasToken(answer)]).toEqual([200, false]);
      cookie = sentBack(answer);
      expect((await fresh()).status).toBe(200);
    });
  },
);
