import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryLogger } from 'test-support';
import { type BusMessage, ServerBus, type Wire, type WireEvents } from './server.bus.js';

/** A wire whose server does what the test says. */
class FakeWire implements Wire {
  static opens: () => Promise<void>;
  static isSilent: boolean;
  static readonly all: FakeWire[] = [];
  readonly sent: BusMessage[][] = [];
  isClosed = false;
  sends: () => Promise<unknown> = () => Promise.resolve();
  private events!: WireEvents;

  constructor() {
    FakeWire.all.push(this);
  }

  async open(_channels: readonly string[], events: WireEvents): Promise<void> {
    this.events = events;
    await FakeWire.opens();
  }

  async send(messages: readonly BusMessage[]): Promise<void> {
    this.sent.push([...messages]);
    await this.sends();
    if (!FakeWire.isSilent && !this.isClosed) {
      messages.forEach(([channel, text]) => this.hear(channel, text));
    }
  }

  close(): void {
    this.isClosed = true;
  }

  hear(channel: string, text: string): void {
    this.events.heard(channel, text);
  }

  lose(error: unknown = new Error('lost')): void {
    this.events.lost(error);
  }

  texts(): string[] {
    return this.sent.flat().flatMap(([channel, text]) => (channel === 'app:bus' ? [text] : []));
  }
}

const newBus = (isEnabled = true) =>
  new ServerBus('Fake', 'app:', isEnabled, async () => () => new FakeWire());

describe('a bus on a server', () => {
  const logs = new MemoryLogger();
  let bus: ServerBus;
  let heard: string[];
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
    Logger.overrideLogger(logs);
    logs.lines.length = FakeWire.all.length = 0;
    [FakeWire.opens, FakeWire.isSilent] = [() => Promise.resolve(), false];
    [bus, heard] = [newBus(), []];
    bus.subscribe('look', (text) => heard.push(text));
  });
  afterEach(async () => {
    await bus.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  const started = async () => {
    await bus.onModuleInit();
    return FakeWire.all.at(-1)!;
  };
  const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);
  const lines = () => logs.ours().map((line) => line.replace(/\. Ends of.*/, ''));

  it('is up once it hears itself, and passes texts to the listeners of their channel', async () => {
    const wire = await started();
    expect(bus.isUp).toBe(true);
    bus.publish('look', 'a b');
    bus.publish('look', '');
    bus.publish('look-again', 'c');
    await pass(0);
    wire.hear('app:bus', 'nonsense');
    expect([heard, lines()]).toEqual([['a b', ''], []]);
  });

  it('passes texts on outside of the context of the request', async () => {
    const wire = await started();
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    bus.subscribe('context', () => seen.push(storage.getStore()));
    storage.run('request', () => wire.hear('app:bus', 'context x'));
    expect(seen).toEqual([undefined]);
  });

  it('sends what waits at once, up to 1,000 texts of 4 KB', async () => {
    const wire = await started();
    let sent = (): void => undefined;
    wire.sends = () => new Promise<void>((resolve) => (sent = resolve));
    bus.publish('look', 'first');
    for (let i = 0; i < 1100; i++) {
      bus.publish('look', String(i));
    }
    bus.publish('look', 'é'.repeat(2049));
    wire.sends = () => Promise.resolve();
    sent();
    await pass(0);
    expect(wire.sent.slice(1).map((messages) => messages.length)).toEqual([1, 1000]);
    bus.publish('look', 'é'.repeat(2048));
    bus.publish('look', 'é'.repeat(2049));
    await pass(0);
    expect(heard.at(-1)).toBe('é'.repeat(2048));
    expect(heard).toHaveLength(1002);
  });

  it('lets the application start while its server is away, and says once when it is down and up', async () => {
    FakeWire.opens = () => Promise.reject(new AggregateError([new Error('connect ECONNREFUSED')]));
    await started();
    expect(bus.isUp).toBe(false);
    bus.publish('look', 'lost');
    await pass(1 + 2 + 4 + 8 + 10 + 10);
    expect(FakeWire.all).toHaveLength(7);
    expect(lines()).toEqual(['error [auth] the bus on Fake is down: Error: connect ECONNREFUSED']);
    FakeWire.opens = () => Promise.resolve();
    await pass(10);
    expect(bus.isUp).toBe(true);
    expect(lines().at(-1)).toBe('log [auth] the bus on Fake is up again');
    bus.publish('look', 'found');
    await pass(0);
    expect([heard, FakeWire.all.every(({ isClosed }, i) => isClosed || i === 7)]).toEqual([['found'], true]);
  });

  it('waits between half of a delay and all of it, so that instances do not come back together', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const wire = await started();
    wire.lose();
    await pass(0.499);
    expect(FakeWire.all).toHaveLength(1);
    await pass(0.001);
    expect(FakeWire.all).toHaveLength(2);
  });

  it('gives up a server that accepts connections and never answers', async () => {
    FakeWire.opens = () => new Promise(() => undefined);
    const starting = bus.onModuleInit();
    await pass(9);
    await starting;
    expect([bus.isUp, FakeWire.all[0]?.isClosed]).toEqual([false, true]);
    expect(lines()).toEqual(['error [auth] the bus on Fake is down: Error: no answer in 6 seconds']);
  });

  it('goes down when its connections have gone silent, and not while it hears itself', async () => {
    const wire = await started();
    await pass(60);
    expect(bus.isUp).toBe(true);
    FakeWire.isSilent = true;
    await pass(9);
    expect([bus.isUp, wire.isClosed]).toEqual([false, true]);
  });

  it('goes down with a text that cannot be sent, and does not send it again', async () => {
    const wire = await started();
    wire.sends = () => Promise.reject(new Error('NOPERM'));
    bus.publish('look', 'lost');
    await pass(0);
    expect([bus.isUp, lines()]).toEqual([false, ['error [auth] the bus on Fake is down: Error: NOPERM']]);
    await pass(1);
    expect([bus.isUp, heard]).toEqual([true, []]);
  });

  it('believes no wire that it has given up', async () => {
    const former = await started();
    former.lose();
    former.hear('app:bus', 'look late');
    await pass(1);
    former.lose();
    expect([bus.isUp, heard]).toEqual([true, []]);
  });

  it('sends its last texts, for a second at most, and none later', async () => {
    const wire = await started();
    wire.sends = () => new Promise(() => undefined);
    bus.publish('look', 'last');
    const ending = bus.onApplicationShutdown();
    await pass(0.999);
    expect(wire.isClosed).toBe(false);
    await pass(0.001);
    await ending;
    expect([wire.isClosed, wire.texts()]).toEqual([true, ['look last']]);
    bus.publish('look', 'too late');
    expect([bus.isUp, wire.texts(), lines()]).toEqual([false, ['look last'], []]);
  });

  it('does nothing while kit-auth is off', async () => {
    bus = newBus(false);
    await bus.onModuleInit();
    bus.publish('look', 'x');
    expect([bus.isUp, FakeWire.all]).toEqual([false, []]);
  });
});
