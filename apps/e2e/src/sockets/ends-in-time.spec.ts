import { beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocketGateway } from '@nestjs/websockets';
import { RequirePermissions } from 'kit-auth';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { freezeDate, until } from 'test-support';
import { Chatting } from './gateways.js';
import { endsApp, isLive } from './ends.suite.js';

const MINUTE_MS = 60_000;

describe('sockets of sessions', () => {
  const { app, user } = endsApp({
    session: { idleMinutes: 10, timeoutMinutes: 60, maxPerUser: 2 },
  });
  let token: string;
  beforeEach(async () => {
    token = await app.tokenOf(user());
  });

  it('close when a limit replaces their session', async () => {
    const first = await app.connected(token);
    await app.tokenOf(user());
    await app.tokenOf(user());
    expect(await first.closed()).toBe('4401 replaced');
  });

  it('do not keep an idle session alive, but messages do, and nothing does at its end', async () => {
    const quiet = await app.connected(token);
    const login = await app.tokenOf(user());
    const busy = await app.connected(login);
    const move = freezeDate();
    for (let minute = 0; minute < 9; minute += 3) {
      move(3 * MINUTE_MS);
      await isLive(busy, user());
    }
    expect(quiet.end).toBeUndefined();
    move(2 * MINUTE_MS);
    expect(await quiet.closed()).toBe('4401 idle');
    for (let minute = 11; minute < 56; minute += 5) {
      move(5 * MINUTE_MS);
      await isLive(busy, user());
    }
    move(5 * MINUTE_MS);
    expect(await busy.closed()).toBe('4401 expired');
  });
});

describe('sockets of refresh tokens', () => {
  const { app, user } = endsApp({
    imports: [KitAuthRefreshModule.forRoot({ accessMinutes: 5, idleDays: 1, lifetimeDays: 3 })],
  });

  it('outlive their access token, and close when a refresh token is used again or the login ends', async () => {
    const { token, refreshToken } = (await app.login(user().username)).json;
    const socket = await app.connected(token);
    const refresh = () => app.call(undefined, 'POST', 'token/refresh', { refreshToken });
    const move = freezeDate();
    expect((await refresh()).status).toBe(200);
    move(6 * MINUTE_MS);
    await isLive(socket, user());
    expect((await refresh()).status).toBe(401);
    expect(await socket.closed()).toMatch(/^4401 /);
    const other = (await app.login(user().username)).json;
    const second = await app.connected(other.token);
    await app.call(undefined, 'POST', 'token/end', { refreshToken: other.refreshToken });
    expect(await second.closed()).toMatch(/^4401 /);
  });
});

@WebSocketGateway({ path: '/notes' })
@RequirePermissions('note:write')
class NotesGateway extends Chatting {}

describe('sockets of API keys', () => {
  const { app, user } = endsApp({ imports: [KitAuthKeysModule], providers: [NotesGateway] });

  it('need a gateway for their abilities, and close when the key is deleted', async () => {
    const token = await app.tokenOf(user());
    const newKey = async (abilities: string[]) =>
      (await app.call(token, 'POST', 'keys', { name: 'Script', abilities })).json as {
        id: string;
        key: string;
      };
    const { id, key } = await newKey(['note:write']);
    expect(await app.connect(key).closed()).toMatch(/^4403 /);
    const socket = await app.connected(key, 'notes');
    expect(await socket.ask('write')).toBe('written');
    expect(await socket.ask('edit')).toMatchObject({ statusCode: 403 });
    expect((await app.call(token, 'DELETE', `keys/${id}`)).status).toBeLessThan(300);
    expect(await socket.closed()).toMatch(/^4401 /);
    await until(() => app.registry.ofUser(user().id).length === 0 || undefined);
  });
});
