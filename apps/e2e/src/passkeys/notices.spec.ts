import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { sharedTestApp, until } from 'test-support';
import { EmailApp } from '../email/app.js';

const ORIGIN = 'https://example.com';

describe('the owner of a passkey', () => {
  const app = sharedTestApp(
    new EmailApp({
      imports: [KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' })],
    }),
  );
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('gets a mail when one is added or removed, and none when it is renamed or used', async () => {
    app.sendAtOnce();
    const user = await app.addressed();
    const mails = () => app.mailbox.to(user.address, 'factor-changed');
    const passkey = fakePasskey({ origin: ORIGIN });
    const before = await app.tokenOf(user);
    const { ceremony, options } = (await app.call(before, 'POST', 'passkeys/options', {})).json;
    const body = { ceremony, response: passkey.create(options) };
    const { id, token } = (await app.call(before, 'POST', 'passkeys', body)).json;
    await until(() => app.mailbox.some(user.address, 'factor-changed'));
    expect((await app.call(token, 'PATCH', `passkeys/${id}`, { name: 'Phone' })).status).toBe(200);
    const begun = (await app.call(undefined, 'POST', 'login/passkey/options', {})).json;
    const login = { ceremony: begun.ceremony, response: passkey.get(begun.options) };
    expect((await app.call(undefined, 'POST', 'login/passkey', login)).status).toBe(200);
    expect((await app.call(token, 'DELETE', `passkeys/${id}`)).status).toBe(204);
    await until(() => mails()[1]);
    await app.mailsSent();
    expect(mails()).toHaveLength(2);
  });
});
