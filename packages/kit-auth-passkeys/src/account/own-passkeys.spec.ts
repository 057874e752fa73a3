import { describe, expect, it, jest } from '@jest/globals';
import { type TestApp, testApp } from 'test-support';
import { WebAuthn } from '../ceremonies/web-authn.js';
import { KitAuthPasskeysModule } from '../kit-auth-passkeys.module.js';
import { fakePasskey } from '../testing.js';
import { AuthPasskey } from '../typeorm.js';

describe('a registration', () => {
  it.each([
    [
      'the user was changed',
      (app: TestApp, id: number) => app.users.update({ id }, { securityStamp: 'changed' }),
    ],
    ['the user was deleted', (app: TestApp, id: number) => app.users.delete({ id })],
  ])('adds nothing after %s in the meantime', async (_, change) => {
    const app = await testApp({
      provider: 'session',
      imports: [KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' })],
    });
    const user = await app.user();
    const token = await app.tokenOf(user);
    const { ceremony, options } = (await app.call(token, 'POST', 'passkeys/options', {})).json;
    const response = fakePasskey({ origin: 'https://example.com' }).create(options);
    const webAuthn = app.get(WebAuthn);
    const registered = webAuthn.registered.bind(webAuthn);
    jest.spyOn(webAuthn, 'registered').mockImplementation(async (...args) => {
      const credential = await registered(...args);
      await change(app, user.id);
      return credential;
    });
    const { json } = await app.call(token, 'POST', 'passkeys', { ceremony, response });
    expect(json.code).toBe(40101);
    expect(await app.rowsOf(AuthPasskey).count()).toBe(0);
  });
});
