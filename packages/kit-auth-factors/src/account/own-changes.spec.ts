import { expect, it } from '@jest/globals';
import { PASSWORD, testApp } from 'test-support';
import { KitAuthFactorsModule } from '../index.js';
import { enrolFactor } from '../testing.js';

const KEY = 'a key of at least 32 bytes, for tests of factors';

it('a token from before a new password changes no factors, although it is valid', async () => {
  const app = await testApp({ imports: [KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'App' })] });
  const user = await app.user();
  const former = await app.tokenOf(user);
  const pending = await app.call(former, 'POST', 'factors/totp', { name: 'Phone' });
  const { id, code } = await enrolFactor(app.nest, user.id);
  const shown = { factor: 'totp', code: await code() };
  const { token } = (await app.call(former, 'POST', 'fresh', shown)).json as { token: string };
  const body = { currentPassword: PASSWORD, newPassword: 'another fine one 4712' };
  expect((await app.call(token, 'POST', 'password', body)).status).toBe(204);
  expect(await app.stateOf(token)).toBe('live');
  for (const [method, path] of [
    ['POST', 'factors/totp'],
    ['POST', `factors/totp/${pending.json.id}/confirm`],
    ['POST', 'factors/recovery'],
    ['DELETE', `factors/${id}`],
  ] as const) {
    const { json } = await app.call(token, method, path, { name: 'Phone', code: '123456' });
    expect([path, json?.code, json?.reason]).toEqual([path, 40101, 'revoked']);
  }
});
