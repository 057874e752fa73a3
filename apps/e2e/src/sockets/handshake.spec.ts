import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BOTH, sharedTestApp, until } from 'test-support';
import { type IoTestSocket, SocketsApp, type WsTestSocket } from './app.js';

describe.each(BOTH)('clients of socket.io on %s', (platform) => {
  const app = sharedTestApp(new SocketsApp({ platform, adapter: 'socket.io', provider: 'session' }));
  let token: string;

  beforeAll(() => app.user({ username: 'ada' }));
  beforeEach(async () => {
    token = await app.tokenOf('ada');
  });
  afterEach(() => app.leaveAll());

  it.each([
    [['polling'], 'polling'],
    [['websocket'], 'websocket'],
    [['polling', 'websocket'], 'websocket'],
  ])('are admitted and refused with the transports %j', async (transports, last) => {
    const io = { transports };
    const client = await app.connected(token, 'chat', { io });
    const { engine } = (client as IoTestSocket).client.io;
    await until(() => (engine.transport.name === last ? true : undefined));
    expect(await client.ask('who')).toMatchObject({ username: 'ada', same: true });
    expect(await app.connect('wrong', 'chat', { io }).closed()).toBe('40101 malformed');
    expect(await app.connect(undefined, 'chat', { io }).closed()).toBe('40100');
    await app.call(token, 'POST', 'logout');
    expect(await client.closed()).toBe('4401 logged-out');
  });

  it('need a token in dynamic namespaces', async () => {
    const client = await app.connected(token, 'room-1');
    expect(await client.ask('who')).toMatchObject({ username: 'ada' });
    expect(await app.connect(undefined, 'room-2').closed()).toBe('40100');
    expect(await app.connect(token, 'room-x').closed()).toBe('Invalid namespace');
    expect((await app.connect(undefined, 'room-1').closed()).slice(0, 5)).toBe('40100');
  });

  it('do not get in by the query', async () => {
    expect(await app.connect(undefined, 'chat', { io: { query: { token } } }).closed()).toBe('40100');
    expect(app.logs.all()).not.toContain(token);
  });

  it('cannot have a token in the header and in auth', async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const byHeader = await app.connected(undefined, 'chat', { headers });
    expect(await byHeader.ask('who')).toMatchObject({ username: 'ada' });
    expect(await app.connect(token, 'chat', { headers }).closed()).toBe('40101 malformed');
  });
});

describe('clients of ws', () => {
  const app = sharedTestApp(new SocketsApp({ provider: 'session' }));
  let token: string;

  beforeAll(() => app.user({ username: 'ada' }));
  beforeEach(async () => {
    token = await app.tokenOf('ada');
  });
  afterEach(() => app.leaveAll());

  it('do not get in by the query, the path or a sub-protocol', async () => {
    expect(await app.connect(undefined, `chat?access_token=${token}`).closed()).toBe('4401 missing');
    expect(await app.connect(undefined, `chat?x=1&token=${token}`).closed()).toBe('4401 missing');
    expect(await app.connect(undefined, `chat/${token}`).closed()).toMatch(/hang up|ECONNRESET/);
    const headers = { 'Sec-WebSocket-Protocol': `kit-auth, ${token}` };
    expect(await app.connect(undefined, 'chat', { headers }).closed()).toMatch(/^4401 missing|subprotocol/);
    expect(app.logs.all()).not.toContain(token);
  });

  it('survive binary frames, pings, and messages that are none', async () => {
    const socket = await app.connected(token);
    const { client } = socket as WsTestSocket;
    const pong = new Promise((resolve) => client.once('pong', resolve));
    client.ping(Buffer.alloc(125));
    await pong;
    for (const data of [
      '',
      'x',
      'null',
      '1',
      '[]',
      '{}',
      '{"event":{}}',
      '{"event":"__proto__"}',
      Buffer.alloc(9),
    ]) {
      client.send(data);
    }
    client.send(Buffer.from('{"event":"who","data":"binary"}'));
    expect(await socket.next('who')).toMatchObject({ username: 'ada', text: 'binary' });
    for (const data of ['1', '{"token":{}}', '{"token":"x","__proto__":{"token":1}}']) {
      client.send(`{"event":"kit-auth","data":${data}}`);
      expect(await socket.next('kit-auth')).toMatchObject({ code: 40101 });
    }
    expect(await socket.ask('who')).toMatchObject({ username: 'ada' });
  });

  it('end alone when they break the protocol', async () => {
    const [good, bad] = [await app.connected(token), await app.connected(token)];
    const raw = bad as WsTestSocket & { client: { _socket: { write(data: Buffer): void } } };
    raw.client._socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await bad.closed();
    expect(await good.ask('who')).toMatchObject({ username: 'ada' });
    const { id } = await app.users.findOneByOrFail({ username: 'ada' });
    await until(() => (app.registry.ofUser(id).length === 1 ? true : undefined));
  });
});
