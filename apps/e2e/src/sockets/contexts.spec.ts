import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, Scope } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import fc from 'fast-check';
import { CurrentUser, KitAuthContext, type LoginUser, Public } from 'kit-auth';
import { BOTH, pairsOf, sharedTestApp, until } from 'test-support';
import { Chatting } from './gateways.js';
import { type Adapter, SocketsApp, type TestSocket } from './app.js';

const ADAPTERS = ['ws', 'socket.io'] as const satisfies readonly Adapter[];

@Injectable()
class Beside {
  constructor(private readonly context: KitAuthContext) {}

  @SubscribeMessage('beside')
  beside(@CurrentUser() user: LoginUser | undefined) {
    return { event: 'beside', data: [user?.username, this.context.get()?.username] };
  }
}
@WebSocketGateway({ path: '/chat' })
@Public()
class BesideGateway extends Beside {}
@WebSocketGateway({ namespace: 'chat' })
@Public()
class BesideNamespace extends Beside {}

@WebSocketGateway({ path: '/scoped' })
@Injectable({ scope: Scope.REQUEST })
class ScopedGateway extends Chatting {}
@WebSocketGateway({ namespace: 'scoped' })
@Injectable({ scope: Scope.REQUEST })
class ScopedNamespace extends Chatting {}

const PROVIDERS = {
  ws: [BesideGateway, ScopedGateway],
  'socket.io': [BesideNamespace, ScopedNamespace],
};
/** How many messages each event is answered with. */
const ANSWERS = { who: 1, stream: 3, later: 0 };
const MESSAGE = fc.record({
  from: fc.nat(2),
  event: fc.constantFrom('who', 'stream', 'later'),
  data: fc.integer({ min: 1, max: 4 }),
});

describe.each(pairsOf(BOTH, ADAPTERS))('contexts on %s with %s', (platform, adapter) => {
  const app = sharedTestApp(
    new SocketsApp({ platform, adapter, provider: 'session', providers: PROVIDERS[adapter] }),
  );
  const names = ['ada', 'bob', 'eve'];
  beforeAll(async () => {
    for (const username of names) {
      await app.user({ username });
    }
  });
  afterEach(() => app.leaveAll());

  it('are those of the sender, however messages are mixed', async () => {
    const clients: TestSocket[] = [];
    for (const name of names) {
      clients.push(await app.connected(await app.tokenOf(name)));
    }
    const run = async (messages: { from: number; event: keyof typeof ANSWERS; data: number }[]) => {
      app.seen.length = 0;
      messages.forEach(({ from, event, data }) => clients[from]!.send(event, data));
      for (const { from, event } of messages) {
        for (let answer = 0; answer < ANSWERS[event]; answer++) {
          expect(JSON.stringify(await clients[from]!.next(event))).toContain(names[from]);
        }
      }
      const timers = messages
        .filter(({ event }) => event === 'later')
        .map(({ from }) => `later ${names[from]}`);
      const seen = () => app.seen.filter((line) => line.startsWith('later'));
      await until(() => (seen().length === timers.length ? true : undefined));
      expect(seen().sort()).toEqual(timers.sort());
    };
    await fc.assert(fc.asyncProperty(fc.array(MESSAGE, { maxLength: 30 }), run), { numRuns: 10 });
  });

  it('are shared by the gateways of a server, which needs a token where one of them does', async () => {
    expect(await app.connect(undefined).closed()).toMatch(/^4401 missing|^40100/);
    const client = await app.connected(await app.tokenOf('ada'));
    expect(await client.ask('beside')).toEqual(['ada', 'ada']);
    const { id } = await app.users.findOneByOrFail({ username: 'ada' });
    await until(() => (app.registry.ofUser(id).length === 1 ? true : undefined));
  });

  it('reach gateways of request scope', async () => {
    const client = await app.connected(await app.tokenOf('eve'), 'scoped');
    expect(await client.ask('who', 'x')).toMatchObject({ username: 'eve', same: true });
    expect(await client.ask('edit')).toMatchObject({ code: 40300 });
  });
});

describe.each(ADAPTERS)('kit.auth.enabled: false with %s', (adapter) => {
  const app = sharedTestApp(new SocketsApp({ adapter, options: { enabled: false } }));

  it('opens all gateways and messages', async () => {
    for (const token of [undefined, 'wrong']) {
      const client = await app.connected(token, 'edit');
      expect(await client.ask('edit')).toBe('edited');
      expect(await client.ask('who')).toMatchObject({ same: true });
    }
  });
});
