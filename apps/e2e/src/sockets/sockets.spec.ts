import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BOTH, freezeDate, sharedTestApp, until } from 'test-support';
import { AuthManager } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { SocketsApp } from './app.js';

const WHERE = [
  { platform: BOTH[0], provider: 'session', adapter: 'ws' },
  { platform: BOTH[1], provider: 'jwt', adapter: 'socket.io' },
] as const;

describe.each(WHERE)('gateways with $adapter on $platform with $provider', (where) => {
  const app = sharedTestApp(new SocketsApp(where));
  const byAdapter = (ws: string, io: string) => (app.adapter === 'ws' ? ws : io);
  let token: string;

  beforeAll(async () => {
    await app.role({ code: 'editor', permissions: ['note:write'] });
    await app.user({ username: 'ada' });
    await app.user({ username: 'eve', roles: ['editor'] });
  });
  beforeEach(async () => {
    token = await app.tokenOf('ada');
    app.seen.length = 0;
  });

  it('know their user in handlers, hooks and streams', async () => {
    const client = await app.connected(token);
    expect(await client.ask('who', 'hello')).toEqual({ username: 'ada', same: true, text: 'hello' });
    client.send('stream');
    expect([await client.next('stream'), await client.next('stream')]).toEqual(['0 ada', '1 ada']);
    client.leave();
    await until(() => app.seen.find((line) => line === 'disconnected ada'));
    expect(app.seen[0]).toBe('connected ada');
  });

  it('refuse clients without a token, and with a wrong one, before any of their code runs', async () => {
    const clients = [app.connect(undefined), app.connect('wrong'), app.connect(`${token}x`)];
    const ends = await Promise.all(clients.map((client) => client.closed()));
    expect(ends[0]).toBe(byAdapter('4401 missing', '40100'));
    expect(ends[1]).toBe(byAdapter('4401 malformed', '40101 malformed'));
    expect(ends[2]).toMatch(/^4401 |^40101 /);
    expect(app.seen).toEqual([]);
  });

  it('admit users with the roles of their class only', async () => {
    expect(await app.connect(token, 'edit').closed()).toBe(byAdapter('4403 forbidden', '40300'));
    const client = await app.connected(await app.tokenOf('eve'), 'edit');
    expect(await client.ask('edit')).toBe('edited');
  });

  it('refuse messages like requests, with the body of the refusal, and keep the client', async () => {
    const client = await app.connected(token);
    expect(await client.ask('edit')).toMatchObject({ code: 40300, missing: ['editor'] });
    expect(await client.ask('write')).toMatchObject({ code: 40300, missing: ['note:write'] });
    expect(await client.ask('fresh')).toBe('fresh');
    const editor = await app.connected(await app.tokenOf('eve'));
    expect([await editor.ask('edit'), await editor.ask('write')]).toEqual(['edited', 'written']);
    expect(client.end).toBeUndefined();
  });

  it('are open by @Public(), except for handlers that require a token', async () => {
    const client = await app.connected(undefined, 'open');
    expect(await client.ask('who')).toMatchObject({ same: true });
    expect(await client.ask('edit')).toMatchObject({ code: 40100 });
    const editor = await app.connected(await app.tokenOf('eve'), 'open');
    expect(await editor.ask('edit')).toBe('edited');
  });

  it('close a client after twenty refused messages', async () => {
    const client = await app.connected(token);
    for (let i = 0; i < 20; i++) {
      client.send('edit');
    }
    expect(await client.closed()).toBe('4429 too-many-refusals');
  });

  it('end the context of a message with its socket', async () => {
    const client = await app.connected(token);
    client.send('later', 0);
    await until(() => app.seen.find((line) => line === 'later ada'));
    client.send('later', 50);
    await client.ask('who');
    client.leave();
    await until(() => app.seen.find((line) => line === 'later undefined'));
  });
});

describe('a login', () => {
  const app = sharedTestApp(new SocketsApp({ provider: 'session', sockets: { maxPerUser: 3 } }));

  beforeAll(() => app.user({ username: 'ada' }));
  afterEach(() => {
    jest.useRealTimers();
    app.leaveAll();
  });

  it('closes its sockets when the code of the application ends it', async () => {
    const token = await app.tokenOf('ada');
    const client = await app.connected(token);
    await app.get(AuthManager).logout(token);
    expect(await client.closed()).toBe('4401 logged-out');
  });

  it('has a limit of sockets', async () => {
    const { id } = await app.users.findOneByOrFail({ username: 'ada' });
    const token = await app.tokenOf('ada');
    const clients = [await app.connected(token), await app.connected(token), await app.connected(token)];
    expect(await app.connect(token).closed()).toMatch(/too-many-sockets$/);
    clients[0]?.leave();
    await until(() => (app.registry.ofUser(id).length < 3 ? true : undefined));
    await app.connected(token);
  });

  it('is checked every 30 seconds', async () => {
    const token = await app.tokenOf('ada');
    const client = await app.connected(token);
    const move = freezeDate();
    await app.users.update({ username: 'ada' }, { status: AuthUserStatus.DISABLED });
    move(31_000);
    expect(await client.closed()).toBe('4401 disabled');
  });
});
