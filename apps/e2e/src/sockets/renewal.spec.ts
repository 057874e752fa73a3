import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { BOTH, freezeDate, pairsOf, PASSWORD, sharedTestApp } from 'test-support';
import { type Adapter, SocketsApp } from './app.js';

const ADAPTERS = ['ws', 'socket.io'] as const satisfies readonly Adapter[];

describe.each(pairsOf(BOTH, ADAPTERS))('kit-auth messages on %s with %s', (platform, adapter) => {
  const app = sharedTestApp(
    new SocketsApp({
      platform,
      adapter,
      imports: [KitAuthRefreshModule.forRoot({ accessMinutes: 5 })],
    }),
  );
  let token: string;
  let refreshToken: string;

  beforeAll(() => app.user({ username: 'ada' }));
  beforeEach(async () => {
    ({ token, refreshToken } = (await app.login('ada')).json);
  });
  afterEach(() => {
    jest.useRealTimers();
    app.leaveAll();
  });
  const refreshed = async (): Promise<string> =>
    (await app.call(undefined, 'POST', 'token/refresh', { refreshToken })).json.token;

  it('renew the principal of a socket with the next token of its login', async () => {
    const move = freezeDate();
    const client = await app.connected(token);
    move(20_000);
    expect(await client.ask('kit-auth', { token: await refreshed() })).toEqual({ ok: true });
    const { json } = await app.call(token, 'POST', 'fresh', { password: PASSWORD });
    expect(await client.ask('kit-auth', { token: json.token })).toEqual({ ok: true });
    move(20_000);
    expect(await client.ask('who')).toMatchObject({ username: 'ada' });
    expect(client.end).toBeUndefined();
  });

  it('close a socket with the token of another user, and with another login', async () => {
    for (const other of [await app.tokenOf(await app.user()), await app.tokenOf('ada')]) {
      const client = await app.connected(token);
      client.send('kit-auth', { token: other });
      expect(await client.closed()).toBe('4403 another-login');
    }
  });

  it('say why a token is refused, and keep the socket', async () => {
    const client = await app.connected(token);
    expect(await client.ask('kit-auth', { token: 'x' })).toMatchObject({ code: 40101 });
    expect(await client.ask('kit-auth')).toMatchObject({ code: 40101 });
    expect(await client.ask('who')).toMatchObject({ username: 'ada' });
    expect(app.logs.all()).not.toContain(token);
  });
});
