import { describe, expect, it } from '@jest/globals';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { freezeDate, PASSWORD, sharedTestApp } from 'test-support';
import { SocketsApp } from './app.js';

describe.each(['ws', 'socket.io'] as const)('kit-auth messages with %s', (adapter) => {
  const app = sharedTestApp(
    new SocketsApp({ adapter, imports: [KitAuthRefreshModule.forRoot({ accessMinutes: 5 })] }),
  );

  it('renew the principal of a socket with the next token of its login, and refuse others', async () => {
    const user = await app.user();
    const { token, refreshToken } = (await app.login(user.username)).json;
    const move = freezeDate();
    const client = await app.connected(token);
    move(20_000);
    const refreshed = await app.call(undefined, 'POST', 'token/refresh', { refreshToken });
    expect(await client.ask('kit-auth', { token: refreshed.json.token })).toEqual({ ok: true });
    const { json } = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
    expect(await client.ask('kit-auth', { token: json.token })).toEqual({ ok: true });
    move(20_000);
    expect(await client.ask('kit-auth', { token: 'x' })).toMatchObject({ code: 40101 });
    expect(await client.ask('who')).toMatchObject({ username: user.username });
    client.send('kit-auth', { token: await app.tokenOf(user) });
    expect(await client.closed()).toBe('4403 another-login');
  });
});
