import { describe, expect, it } from '@jest/globals';
import { BOTH, sharedTestApp } from 'test-support';
import { claimsOf, outcomeOf, RefreshApp } from './refresh-app.js';

describe.each(BOTH)('refresh tokens on %s', (platform) => {
  const app = sharedTestApp(new RefreshApp({ platform }));

  it('come with a login, and are replaced by a refresh', async () => {
    const user = await app.user();
    const { json: login } = await app.login(user.username);
    expect(login).toEqual({
      token: expect.any(String),
      user: expect.objectContaining({ userId: user.id, username: user.username }),
      expiresAt: claimsOf(login.token).exp,
      refreshToken: expect.stringMatching(/^katr_[0-9a-z]+_[\w-]{22}_[\w-]{43}_[0-9a-z]{7}$/),
    });
    const answer = await app.refresh(login.refreshToken);
    expect(outcomeOf(answer)).toBe('200');
    expect(Object.keys(answer.json).sort()).toEqual(Object.keys(login).sort());
    expect(answer.json.refreshToken).not.toBe(login.refreshToken);
    expect(await app.stateOf(answer.json.token)).toBe('live');
    expect(claimsOf(answer.json.token).sid).toBe(claimsOf(login.token).sid);
    expect((await app.refresh(login.refreshToken)).json.refreshToken).toBe(answer.json.refreshToken);
    expect(outcomeOf(await app.refresh(answer.json.refreshToken))).toBe('200');
    expect(outcomeOf(await app.refresh(login.refreshToken))).toBe('40101 reused');
    expect(outcomeOf(await app.refresh(answer.json.refreshToken))).toBe('40101 reused');
    expect(await app.stateOf(answer.json.token)).toBe('40101 reused');
  });

  it('end with a logout, of either token', async () => {
    const { username } = await app.user();
    const [first, second] = [(await app.login(username)).json, (await app.login(username)).json];
    expect((await app.call(first.token, 'POST', 'logout')).status).toBe(204);
    expect((await app.endToken(second.refreshToken)).status).toBe(204);
    for (const { token, refreshToken } of [first, second]) {
      expect(outcomeOf(await app.refresh(refreshToken))).toBe('40101 logged-out');
      expect(await app.stateOf(token)).toBe('40101 logged-out');
      expect((await app.endToken(refreshToken)).status).toBe(204);
    }
  });
});
