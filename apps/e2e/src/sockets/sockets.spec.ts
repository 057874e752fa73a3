import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BOTH, sharedTestApp, until } from 'test-support';
import { type IoTestSocket, SocketsApp, type WsTestSocket } from './app.js';

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
  afterEach(() => app.leaveAll());

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
    expect(app.logs.all()).not.toContain(token);
  });

  it('admit users with the roles of their class only', async () => {
    expect(await app.connect(token, 'edit').closed()).toBe(byAdapter('4403 forbidden', '40300'));
    const client = await app.connected(await app.tokenOf('eve'), 'edit');
    expect(await client.ask('edit')).toBe('edited');
  });

  it('refuse messages like requests, with the body of the refusal, and close after the twentieth', async () => {
    const client = await app.connected(token);
    expect(await client.ask('edit')).toMatchObject({ code: 40300, missing: ['editor'] });
    expect(await client.ask('write')).toMatchObject({ code: 40300, missing: ['note:write'] });
    expect(await client.ask('fresh')).toBe('fresh');
    const editor = await app.connected(await app.tokenOf('eve'));
    expect([await editor.ask('edit'), await editor.ask('write')]).toEqual(['edited', 'written']);
    expect(client.end).toBeUndefined();
    for (let i = 2; i < 20; i++) {
      client.send('edit');
    }
    expect(await client.closed()).toBe('4429 too-many-refusals');
  });

  it('are open by @Public(), except for handlers that require a token', async () => {
    const client = await app.connected(undefined, 'open');
    expect(await client.ask('who')).toMatchObject({ same: true });
    expect(await client.ask('edit')).toMatchObject({ code: 40100 });
    const editor = await app.connected(await app.tokenOf('eve'), 'open');
    expect(await editor.ask('edit')).toBe('edited');
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

describe('clients of socket.io', () => {
  const app = sharedTestApp(new SocketsApp({ adapter: 'socket.io', provider: 'session' }));

  it.each([
    [['polling'], 'polling'],
    [['websocket'], 'websocket'],
    [['polling', 'websocket'], 'websocket'],
  ])('are admitted and refused with the transports %j', async (transports, last) => {
    const token = await app.tokenOf(await app.user());
    const io = { transports };
    const client = await app.connected(token, 'chat', { io });
    const { engine } = (client as IoTestSocket).client.io;
    await until(() => (engine.transport.name === last ? true : undefined));
    expect(await client.ask('who')).toMatchObject({ same: true });
    expect(await app.connect('wrong', 'chat', { io }).closed()).toBe('40101 malformed');
    expect(await app.connect(undefined, 'chat', { io }).closed()).toBe('40100');
    await app.call(token, 'POST', 'logout');
    expect(await client.closed()).toBe('4401 logged-out');
  });
});

describe('clients of ws', () => {
  const app = sharedTestApp(new SocketsApp({ provider: 'session' }));

  it('survive messages that are none, and end alone when they break the protocol', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const [socket, bad] = [await app.connected(token), await app.connected(token)];
    const { client } = socket as WsTestSocket;
    for (const data of [
      '',
      'x',
      'null',
      '[]',
      '{}',
      '{"event":{}}',
      '{"event":"__proto__"}',
      Buffer.alloc(9),
    ]) {
      client.send(data);
    }
    client.send(Buffer.from('{"event":"who","data":"binary"}'));
    expect(await socket.next('who')).toMatchObject({ text: 'binary' });
    const raw = bad as WsTestSocket & { client: { _socket: { write(data: Buffer): void } } };
    raw.client._socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await bad.closed();
    expect(await socket.ask('who')).toMatchObject({ username: user.username });
    await until(() => (app.registry.ofUser(user.id).length === 1 ? true : undefined));
  });
});
