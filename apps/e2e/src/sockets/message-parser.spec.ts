import { describe, expect, it } from '@jest/globals';
import { WsAdapter } from '@nestjs/platform-ws';
import { sharedTestApp, until } from 'test-support';
import { SocketsApp, type WsTestSocket } from './app.js';

/** Reads `{ type, payload }`, and drops messages of other forms. */
function messageParser(data: unknown) {
  const { type, payload } = JSON.parse(String(data)) as { type?: string; payload?: unknown };
  return type === undefined ? undefined : { event: type, data: payload };
}

describe('a gateway with a message parser of its own', () => {
  const app = sharedTestApp(
    new SocketsApp({
      sockets: { from: ['header', 'message'] },
      configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest, { messageParser })),
    }),
  );

  it('gets the first message in the form of kit-auth, and others in its own', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const socket = app.connect(undefined) as WsTestSocket;
    await until(() => socket.isOpen || undefined);
    socket.send('kit-auth', { token });
    socket.client.send(JSON.stringify({ type: 'who', payload: 1 }));
    expect(await socket.next('who')).toMatchObject({ username: user.username });
    socket.client.send(JSON.stringify({ type: 'kit-auth', payload: { token } }));
    expect(await socket.next('kit-auth')).toEqual({ ok: true });
  });

  it('refuses a client whose first message is in its own form', async () => {
    const token = await app.tokenOf(await app.user());
    const socket = app.connect(undefined) as WsTestSocket;
    await until(() => socket.isOpen || undefined);
    socket.client.send(JSON.stringify({ type: 'kit-auth', payload: { token } }));
    expect(await socket.closed()).toBe('4401 missing');
  });
});
