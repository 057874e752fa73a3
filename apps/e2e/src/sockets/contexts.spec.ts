import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, Scope } from '@nestjs/common';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import fc from 'fast-check';
import { CurrentUser, KitAuthContext, type LoginUser, Public } from 'kit-auth';
import { interval, map, take } from 'rxjs';
import { BOTH, pairsOf, sharedTestApp, until } from 'test-support';
import { Chatting, Seen } from './gateways.js';
import { type Adapter, SocketsApp, type TestSocket } from './app.js';

const ADAPTERS = ['ws', 'socket.io'] as const satisfies readonly Adapter[];
const PLACE = { path: '/mixed', namespace: 'mixed' };

/** Answers after some turns of the event loop, in each of the ways that Nest has. */
@Injectable()
class Mixed {
  constructor(
    readonly context: KitAuthContext,
    readonly seen: Seen,
  ) {}

  async handleConnection(): Promise<void> {
    const before = this.context.get()?.username;
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.seen.note(`connected ${before} ${this.context.get()?.username}`);
  }

  @SubscribeMessage('who')
  who(@MessageBody() text: string, @CurrentUser() user: LoginUser | undefined) {
    return { event: 'who', data: { username: user?.username, text } };
  }

  @SubscribeMessage('wait')
  async wait(@MessageBody() ms: number, @CurrentUser() user: LoginUser) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { event: 'told', data: [user.username, this.context.get()?.username] };
  }

  @SubscribeMessage('stream')
  stream(@MessageBody() count: number, @CurrentUser() user: LoginUser) {
    return interval(1).pipe(
      take(count),
      map(() => ({ event: 'told', data: [user.username, this.context.get()?.username] })),
    );
  }

  @SubscribeMessage('timer')
  timer(@ConnectedSocket() _: unknown, @MessageBody() ms: number, @CurrentUser() user: LoginUser): void {
    setTimeout(() => this.seen.note(`timer ${user.username} ${this.context.get()?.username}`), ms);
  }
}

@WebSocketGateway({ path: PLACE.path })
class MixedGateway extends Mixed {}
@WebSocketGateway({ namespace: PLACE.namespace })
class MixedNamespace extends Mixed {}

@Injectable()
class Second {
  constructor(readonly context: KitAuthContext) {}

  @SubscribeMessage('second')
  second(@CurrentUser() user: LoginUser | undefined) {
    return { event: 'second', data: [user?.username, this.context.get()?.username] };
  }
}

@WebSocketGateway({ path: PLACE.path })
@Public()
class SecondGateway extends Second {}
@WebSocketGateway({ namespace: PLACE.namespace })
@Public()
class SecondNamespace extends Second {}

@WebSocketGateway({ path: '/scoped' })
@Injectable({ scope: Scope.REQUEST })
class ScopedGateway extends Chatting {}
@WebSocketGateway({ namespace: 'scoped' })
@Injectable({ scope: Scope.REQUEST })
class ScopedNamespace extends Chatting {}

const PROVIDERS = {
  ws: [MixedGateway, SecondGateway, ScopedGateway],
  'socket.io': [MixedNamespace, SecondNamespace, ScopedNamespace],
};
const MESSAGE = fc.record({
  from: fc.nat(2),
  event: fc.constantFrom('wait', 'stream', 'timer'),
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
  afterEach(() => {
    app.leaveAll();
    app.seen.length = 0;
  });

  it('are those of the sender, however messages are mixed', async () => {
    const clients: TestSocket[] = [];
    for (const name of names) {
      clients.push(await app.connected(await app.tokenOf(name), 'mixed'));
    }
    const run = async (messages: { from: number; event: string; data: number }[]) => {
      app.seen.length = 0;
      const answersOf = (i: number) =>
        messages
          .filter(({ from }) => from === i)
          .reduce((sum, { event, data }) => sum + ({ wait: 1, stream: data }[event] ?? 0), 0);
      messages.forEach(({ from, event, data }) => clients[from]?.send(event, data));
      for (const [i, client] of clients.entries()) {
        for (let answer = 0; answer < answersOf(i); answer++) {
          expect(await client.next('told')).toEqual([names[i], names[i]]);
        }
      }
      const timers = messages.filter(({ event }) => event === 'timer');
      await until(() => (app.seen.length === timers.length ? true : undefined));
      expect(app.seen.toSorted()).toEqual(
        timers.map(({ from }) => `timer ${names[from]} ${names[from]}`).toSorted(),
      );
    };
    await until(() => (app.seen.length >= names.length ? true : undefined));
    expect(app.seen.filter((line) => line.startsWith('connected')).toSorted()).toEqual(
      names.map((name) => `connected ${name} ${name}`),
    );
    await fc.assert(fc.asyncProperty(fc.array(MESSAGE, { maxLength: 30 }), run), { numRuns: 10 });
  });

  it('are shared by the gateways of a server, which needs a token where one of them does', async () => {
    expect(await app.connect(undefined, 'mixed').closed()).toMatch(/^4401 missing|^40100/);
    const client = await app.connected(await app.tokenOf('ada'), 'mixed');
    expect(await client.ask('second')).toEqual(['ada', 'ada']);
    expect(app.registry.ofUser((await app.users.findOneByOrFail({ username: 'ada' })).id)).toHaveLength(1);
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
    for (const gateway of ['chat', 'edit', 'open']) {
      for (const token of [undefined, 'wrong']) {
        const client = await app.connected(token, gateway);
        expect(await client.ask('edit')).toBe('edited');
        expect(await client.ask('who')).toMatchObject({ same: true });
      }
    }
    app.leaveAll();
  });
});
