import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocketGateway } from '@nestjs/websockets';
import { Public } from 'kit-auth';
import { sharedTestApp } from 'test-support';
import { Chatting } from './gateways.js';
import { type Adapter, SocketsApp } from './app.js';

@WebSocketGateway({ path: 'bare' })
class BarePath extends Chatting {}
@WebSocketGateway({ path: '/slash/' })
class TrailingSlash extends Chatting {}
@WebSocketGateway()
class NoPath extends Chatting {}
@WebSocketGateway({ namespace: '/with-slash' })
class WithSlash extends Chatting {}
@WebSocketGateway({ namespace: 'bare' })
class BareNamespace extends Chatting {}
@WebSocketGateway({ namespace: /^\/dynamic-/ })
class Dynamic extends Chatting {}
@WebSocketGateway({
  namespace: (name: string, _: object, next: (error: null, found: boolean) => void) =>
    next(null, name.startsWith('/by-function')),
})
class ByFunction extends Chatting {}
@WebSocketGateway({ namespace: '/' })
class RootNamespace extends Chatting {}
@WebSocketGateway({ namespace: 'mine' })
@Public()
class PublicNamespace extends Chatting {}

const SERVERS = {
  ws: [BarePath, TrailingSlash, NoPath],
  'socket.io': [NoPath, WithSlash, BareNamespace, Dynamic, ByFunction, RootNamespace, PublicNamespace],
};
const PLACES = {
  ws: ['bare', 'slash', ''],
  'socket.io': ['', 'with-slash', 'bare', 'dynamic-1', 'by-function'],
} as const;

describe.each(['ws', 'socket.io'] satisfies Adapter[])('servers of %s', (adapter) => {
  const app = sharedTestApp(new SocketsApp({ adapter, provider: 'session', providers: SERVERS[adapter] }));
  afterEach(() => app.leaveAll());

  it.each(PLACES[adapter])('need a token at "%s", however the gateway writes it', async (place) => {
    expect(await app.connect(undefined, place).closed()).toMatch(/^4401 missing|^40100/);
    const user = await app.user();
    const client = await app.connected(await app.tokenOf(user), place);
    expect(await client.ask('who')).toMatchObject({ username: user.username });
  });
});
