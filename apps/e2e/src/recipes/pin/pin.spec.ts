import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { BOTH, sharedTestApp, testApp } from 'test-support';
import { AuthPin, KitAuthPinModule, PinRemoveCommand } from './kit-auth-pin.module.js';

describe.each(BOTH)('the package of the guide on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    admin: true,
    imports: [KitAuthPinModule.forRoot({ digits: 4 })],
  });
  let ada: { id: number | string; username: string };
  const post = async (path: string, body: object) => (await app.call(undefined, 'POST', path, body)).json;
  const logIn = () => app.login(ada.username);

  beforeAll(async () => {
    ada = await app.user();
    const { token } = (await logIn()).json;
    const put = async (pin: string) => (await app.call(token as string, 'PUT', 'pin', { pin })).json;
    expect(await put('12345')).toMatchObject({ code: 40000, message: '"pin" must be 4 digits' });
    expect(await put('')).toMatchObject({ code: 40000 });
    expect(await put('1234')).toMatchObject({ token: expect.any(String) });
  });

  it('asks for the PIN at a login', async () => {
    const { code, challenge, factors } = (await logIn()).json;
    expect([code, factors]).toEqual([40112, ['pin']]);
    const answer = { challenge, factor: 'pin' };
    expect(await post('login/factor', { ...answer, code: '4321' })).toMatchObject({ code: 40113 });
    expect(await post('login/factor', { ...answer, code: '1234' })).toMatchObject({
      token: expect.any(String),
    });
  });

  it('confirms a login with the PIN', async () => {
    const { challenge } = (await logIn()).json;
    const { token } = await post('login/factor', { challenge, factor: 'pin', code: '1234' });
    const fresh = await app.call(token as string, 'POST', 'fresh', { factor: 'pin', code: '1234' });
    expect(fresh.status).toBe(200);
  });

  it('removes the PIN by a command, and with its user', async () => {
    const rows = app.get(DataSource).getRepository(AuthPin);
    const lines: string[] = [];
    const context = {
      args: [ada.username],
      user: async () => ada,
      output: { line: (text: string) => lines.push(text) },
    };
    await app.get(PinRemoveCommand).run(context as unknown as Parameters<PinRemoveCommand['run']>[0]);
    expect([lines, await rows.count()]).toEqual([[`Removed the PIN of ${ada.username}.`], 0]);
    const { token } = (await logIn()).json;
    await app.call(token as string, 'PUT', 'pin', { pin: '1234' });
    expect(await rows.count()).toBe(1);
    await app.call(await app.adminToken(), 'DELETE', `users/${ada.id}`);
    expect(await rows.count()).toBe(0);
  });
});

it('does not start with an option that is out of range', async () => {
  await expect(testApp({ imports: [KitAuthPinModule.forRoot({ digits: 3 })] })).rejects.toThrow(
    'kit.auth.pin.digits must be a whole number from 4 to 12',
  );
});
