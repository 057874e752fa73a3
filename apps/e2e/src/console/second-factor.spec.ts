import { describe, expect, it } from '@jest/globals';
import { enrolFactor } from 'kit-auth-factors/testing';
import { PASSWORD, sharedTestApp } from 'test-support';
import { ConsoleApp } from './app.js';

describe('a console that requires a second factor', () => {
  const app = sharedTestApp(new ConsoleApp({ extras: ['factors'], console: { requireSecondFactor: true } }));

  it('refuses logins without one, after those without a permission', async () => {
    expect(await app.codeOf(await app.adminToken(), '/v1/api/auth/console')).toBe(40303);
    expect(await app.codeOf(await app.tokenOf(await app.user()), '/v1/api/auth/console')).toBe(40300);
  });

  it('lets in logins with one, and only those', async () => {
    const user = await app.administrator();
    const before = await app.tokenOf(user);
    const factor = await enrolFactor(app.nest, user.id);
    const { json } = await app.login(user.username, PASSWORD);
    const login = await app.call(undefined, 'POST', 'login/factor', {
      challenge: json.challenge,
      factor: 'totp',
      code: await factor.code(),
    });
    expect(await app.codeOf(login.json.token, '/v1/api/auth/console')).toBe(200);
    expect(await app.codeOf(before, '/v1/api/auth/console')).toBe(40303);
    // The endpoints themselves do not depend on the page.
    expect(await app.codeOf(before, '/v1/api/auth/users')).toBe(200);
  });
});
