import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthEvents, type ErrorTexts, KitAuthContext, type KitAuthSettings, type NotedEvent } from 'kit-auth';
import { MessageContexts } from 'kit-auth/login';
import type { Ports } from 'kit-auth/feature';
import { MemoryLogger } from 'test-support';
import type { AuthMail, AuthMailer } from './auth-mail.js';
import type { LocalesOfUsers } from './mail.locales.js';
import type { ActiveMailer } from './active.mailer.js';
import { MailLocales } from './mail.locales.js';
import { MailQueue } from './mail.queue.js';

const MAIL: AuthMail = {
  kind: 'reset',
  to: 'ada@example.com',
  link: 'https://app.example/reset#kato_token',
  user: { userId: 7, username: 'ada', nickname: 'Ada', superAdmin: false },
};
const ABOUT = { kind: 'reset' } as const;
const prepare = async () => MAIL;

/** Keeps what is noted. */
class Events extends AuthEvents {
  readonly noted: NotedEvent[] = [];

  begin() {
    return {
      user: undefined,
      run: <T>(fn: () => T) => fn(),
      note: (event: NotedEvent) => void this.noted.push(event),
      keep: () => Promise.reject(new Error('not in a transaction')),
    };
  }

  emit(): void {}
}

class Sends implements AuthMailer {
  calls = 0;
  atOnce = 0;
  most = 0;

  constructor(private readonly behave: () => Promise<void> = async () => undefined) {}

  async send(): Promise<void> {
    this.calls++;
    this.most = Math.max(this.most, ++this.atOnce);
    try {
      await this.behave();
    } finally {
      this.atOnce--;
    }
  }
}

const hang = () => new Promise<never>(() => undefined);
const fail = () => Promise.reject(new Error('no'));

function queueOf(mailer: AuthMailer, localeOf?: LocalesOfUsers['localeOf']) {
  const events = new Events();
  const context = new KitAuthContext();
  const ports = { only: () => localeOf && { localeOf } } as unknown as Ports;
  const core = { enabled: true, extensionTimeoutMs: 5000 } as KitAuthSettings;
  const locales = new MailLocales(ports, context, { language: () => 'fr' } as ErrorTexts, core);
  locales.onModuleInit();
  const active: Pick<ActiveMailer, 'send'> = { send: async (mail) => mailer.send(mail) };
  return { queue: new MailQueue(active as ActiveMailer, locales, events, context), events };
}

/** Adds a mail to this recipient. */
const addTo = (queue: MailQueue, subjectId: number, to: string) =>
  queue.add({ kind: 'reset', subjectId }, async () => ({ kind: 'reset', to }));
const FULL = expect.objectContaining({ code: 50300 });

describe('MailQueue', () => {
  let logs: MemoryLogger;
  beforeEach(() => {
    jest.useFakeTimers();
    logs = new MemoryLogger();
    Logger.overrideLogger(logs);
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1000);

  it('prepares and sends a mail within about a second', async () => {
    const mailer = new Sends();
    const { queue } = queueOf(mailer);
    let prepared = 0;
    queue.add(ABOUT, async () => (prepared++, MAIL));
    await jest.advanceTimersByTimeAsync(49);
    expect([prepared, mailer.calls]).toEqual([0, 0]);
    await seconds(1);
    expect([prepared, mailer.calls, queue.size]).toEqual([1, 1, 0]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('begins mails after different times', async () => {
    const { queue } = queueOf(new Sends());
    const times = new Set<number>();
    for (let i = 0; i < 50; i++) {
      queue.add(ABOUT, async () => void times.add(Date.now()));
    }
    await seconds(1);
    expect(times.size).toBeGreaterThan(20);
  });

  it('survives a logger of the application that throws', async () => {
    const { queue } = queueOf(new Sends());
    Logger.overrideLogger({
      ...logs,
      error: () => {
        throw new Error('the disk is full');
      },
    });
    queue.add(ABOUT, fail);
    await seconds(2);
    expect(queue.size).toBe(0);
    await queue.beforeApplicationShutdown();
  });

  it('sends none where nothing was prepared', async () => {
    const mailer = new Sends();
    const { queue, events } = queueOf(mailer);
    queue.add(ABOUT, async () => undefined);
    await seconds(1);
    expect([mailer.calls, queue.size, events.noted, logs.lines]).toEqual([0, 0, [], []]);
  });

  it('leaves the request that it is called in', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { queue } = queueOf(new Sends());
    const seen: unknown[] = [];
    storage.run('a request', () => queue.add(ABOUT, async () => void seen.push(storage.getStore())));
    await seconds(1);
    expect(seen).toEqual([undefined]);
  });

  it('adds the language of the request that it is called in', async () => {
    const sent: AuthMail[] = [];
    const { queue } = queueOf({ send: async (mail) => void sent.push(mail) });
    const client = { address: '192.0.2.1', userAgent: undefined, hasLeft: () => false };
    new MessageContexts().run(undefined, client, () => {
      queue.add(ABOUT, prepare);
      queue.tell({ kind: 'password-changed', subjectId: 7 }, async () => ({
        kind: 'password-changed',
        to: 'x',
      }));
    });
    queue.add({ kind: 'login' }, async () => ({ kind: 'login', to: 'x' }));
    await seconds(1);
    expect(sent.map(({ kind, locale }) => [kind, locale]).sort()).toEqual([
      ['login', undefined],
      ['password-changed', 'fr'],
      ['reset', 'fr'],
    ]);
  });

  it('asks for the language of the user of the mail, and sends it where there is no answer', async () => {
    const [sent, ids]: [AuthMail[], unknown[]] = [[], []];
    const localeOf = (userId: unknown) => (ids.push(userId) > 1 ? hang() : 'de');
    const { queue, events } = queueOf({ send: async (mail) => void sent.push(mail) }, localeOf);
    queue.add(ABOUT, prepare);
    await seconds(2);
    queue.tell({ kind: 'key-created', subjectId: 8 }, async () => ({ kind: 'key-created', to: 'x' }));
    await seconds(4);
    expect(sent).toEqual([{ ...MAIL, locale: 'de' }]);
    await seconds(3);
    expect([sent[1], ids, events.noted]).toEqual([{ kind: 'key-created', to: 'x' }, [7, 8], []]);
  });

  it.each([
    ['rejects', fail],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('tries three more times where the mailer %s, after 1, 10 and 60 s', async (_, behave) => {
    const mailer = { calls: 0, send: (): Promise<void> => (mailer.calls++, behave()) };
    const { queue, events } = queueOf({ send: async () => mailer.send() });
    queue.add(ABOUT, prepare);
    await seconds(1);
    expect(mailer.calls).toBe(1);
    await seconds(1);
    expect(mailer.calls).toBe(2);
    await seconds(9);
    expect(mailer.calls).toBe(2);
    await seconds(1);
    expect(mailer.calls).toBe(3);
    await seconds(58);
    expect([mailer.calls, queue.size, events.noted]).toEqual([3, 1, []]);
    await seconds(3);
    expect([mailer.calls, queue.size]).toEqual([4, 0]);
    await seconds(1000);
    expect(mailer.calls).toBe(4);
    expect(events.noted).toEqual([
      { type: 'mail-failed', subjectId: 7, subject: 'ada', success: false, detail: 'reset' },
    ]);
    expect(logs.ours()).toEqual([
      expect.stringMatching(/^error \[auth\] the mail reset was not sent: Error: no\b/),
    ]);
  });

  it('does not wait for a mailer that hangs, nor for its late answer', async () => {
    const answers: (() => void)[] = [];
    const mailer = new Sends(() => new Promise((resolve) => answers.push(resolve)));
    const { queue, events } = queueOf(mailer);
    queue.add(ABOUT, prepare);
    await seconds(11 + 11 + 20 + 70);
    expect([mailer.calls, queue.size, events.noted.length]).toEqual([4, 0, 1]);
    expect(logs.all()).toContain('no answer in 10 s');
    answers.forEach((answer) => answer());
    await seconds(100);
    expect([mailer.calls, events.noted.length]).toEqual([4, 1]);
  });

  it('sends a mail once where a later try succeeds', async () => {
    let calls = 0;
    const { queue, events } = queueOf({ send: async () => (++calls === 1 ? fail() : undefined) });
    queue.add(ABOUT, prepare);
    await seconds(200);
    expect([calls, queue.size, events.noted, logs.lines]).toEqual([2, 0, [], []]);
  });

  it('logs a mail that could not be prepared', async () => {
    const mailer = new Sends();
    const { queue, events } = queueOf(mailer);
    queue.add({ kind: 'password-changed', subjectId: 7, subject: 'ada' }, fail);
    queue.add(ABOUT, hang);
    await seconds(12);
    expect([mailer.calls, queue.size]).toEqual([0, 0]);
    expect(events.noted).toEqual([
      { type: 'mail-failed', subjectId: 7, subject: 'ada', success: false, detail: 'password-changed' },
      { type: 'mail-failed', success: false, detail: 'reset' },
    ]);
  });

  it('looks up while sends hang, five of each at once', async () => {
    const mailer = new Sends(hang);
    const { queue } = queueOf(mailer);
    let preparing = 0;
    let most = 0;
    let prepared = 0;
    for (let i = 0; i < 50; i++) {
      queue.add(ABOUT, async () => {
        most = Math.max(most, ++preparing);
        await new Promise((resolve) => setTimeout(resolve, 100));
        preparing--;
        prepared++;
        return MAIL;
      });
    }
    await seconds(3);
    expect([prepared, most, mailer.calls]).toEqual([50, 5, 5]);
  });

  it('has 1,000 places, which are free again once mails are sent', async () => {
    const mailer = new Sends(hang);
    const { queue, events } = queueOf(mailer);
    for (let i = 0; i < 1000; i++) {
      queue.add(ABOUT, prepare);
    }
    expect(() => queue.add(ABOUT, prepare)).toThrow(
      expect.objectContaining({ code: 50300, retryAfter: expect.any(Number) }),
    );
    await seconds(3 * 3600);
    expect([queue.size, mailer.calls, events.noted.length]).toEqual([0, 4000, 1000]);
    queue.add(ABOUT, prepare);
  });

  it('gives a place to the mail of a user for the last one of whoever has the most', async () => {
    const sent: string[] = [];
    const { queue, events } = queueOf({ send: async ({ to }) => void sent.push(to) });
    for (let i = 0; i < 998; i++) {
      addTo(queue, 1, `${i}@one.example`);
    }
    addTo(queue, 2, 'two@example.com');
    addTo(queue, 3, 'three@example.com');
    expect(() => addTo(queue, 1, 'more@one.example')).toThrow(FULL);
    addTo(queue, 2, 'again@example.com');
    expect([queue.size, events.noted]).toEqual([1000, []]);
    await seconds(1);
    expect(sent).toHaveLength(1000);
    expect(sent).toEqual(
      expect.arrayContaining(['two@example.com', 'three@example.com', 'again@example.com']),
    );
    expect(sent).not.toContain('997@one.example');
    expect(events.noted).toEqual([{ type: 'mail-failed', subjectId: 1, success: false, detail: 'reset' }]);
    expect(logs.ours()).toEqual([expect.stringContaining('too many mails wait')]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes the mails of a network without a user as those of one', async () => {
    const sent: string[] = [];
    const { queue, events } = queueOf({ send: async ({ to }) => void sent.push(to) });
    const addFrom = (address: string, to: string) =>
      new MessageContexts().run(undefined, { address, userAgent: undefined, hasLeft: () => false }, () =>
        queue.add(ABOUT, async () => ({ kind: 'reset', to })),
      );
    for (let i = 0; i < 1000; i++) {
      addFrom(`2001:db8::${(i % 100) + 1}`, `${i}@flood.example`);
    }
    expect(() => addFrom('2001:db8::abc', 'more@flood.example')).toThrow(FULL);
    addFrom('2001:db8:0:1::1', 'ada@example.com');
    await seconds(1);
    expect([sent.length, sent.includes('ada@example.com')]).toEqual([1000, true]);
    expect(sent).not.toContain('999@flood.example');
    expect(events.noted).toEqual([{ type: 'mail-failed', success: false, detail: 'reset' }]);
  });

  it('keeps a quarter of the places for notices, which give up none', async () => {
    const { queue, events } = queueOf(new Sends(hang));
    for (let i = 0; i < 1000; i++) {
      queue.add(ABOUT, prepare);
    }
    await seconds(5); // all are prepared, and some are being sent
    const tell = (subjectId: number) =>
      queue.tell({ kind: 'password-changed', subjectId, subject: 'ada' }, prepare);
    Array.from({ length: 250 }, (_, i) => tell(i));
    await seconds(0);
    expect([queue.size, events.noted.length]).toEqual([1000, 250]);
    expect(new Set(events.noted.map(({ detail }) => detail))).toEqual(new Set(['reset']));
    expect(() => queue.add({ kind: 'reset', subjectId: 7 }, prepare)).toThrow(FULL);
    tell(250);
    expect(events.noted.at(-1)).toMatchObject({ subjectId: 250, detail: 'password-changed' });
  });

  it('sends one notice of a kind to a user while it waits, also to be tried again', async () => {
    let calls = 0;
    const { queue } = queueOf({ send: async () => (++calls === 1 ? fail() : undefined) });
    const tell = (subjectId: number, kind: 'password-changed' | 'factor-changed', to?: string) =>
      queue.tell({ kind, subjectId }, prepare, to);
    for (let i = 0; i < 1500; i++) {
      tell(1, 'factor-changed');
    }
    expect(queue.size).toBe(1);
    await seconds(1);
    tell(1, 'factor-changed');
    expect([calls, queue.size]).toEqual([1, 1]);
    tell(2, 'factor-changed');
    tell(1, 'password-changed');
    tell(1, 'password-changed', 'former@example.com');
    expect(queue.size).toBe(4);
    await seconds(3);
    expect([calls, queue.size]).toEqual([5, 0]);
    tell(1, 'factor-changed');
    expect(queue.size).toBe(1);
  });

  it('sends a second notice of what happens while the first one is sent', async () => {
    const mailer = new Sends(hang);
    const { queue } = queueOf(mailer);
    const tell = () => queue.tell({ kind: 'password-changed', subjectId: 7 }, prepare);
    tell();
    await seconds(1);
    tell();
    expect([mailer.calls, queue.size]).toEqual([1, 2]);
  });

  it('lets users take turns, also where the mails of some hang', async () => {
    const sent: string[] = [];
    const { queue } = queueOf({
      send: ({ to }) => (to.startsWith('slow') ? hang() : Promise.resolve(void sent.push(to))),
    });
    for (let i = 0; i < 100; i++) {
      addTo(queue, 1, `slow${i}@one.example`);
      addTo(queue, 2, `slow${i}@two.example`);
    }
    await seconds(2);
    addTo(queue, 3, 'three@example.com');
    await seconds(2);
    expect(sent).toEqual(['three@example.com']);
  });

  it('sends what waits when the application ends', async () => {
    let calls = 0;
    const { queue } = queueOf({ send: async () => (++calls === 1 ? fail() : undefined) });
    queue.add(ABOUT, prepare);
    await seconds(1); // waits to be tried again
    queue.add(ABOUT, prepare);
    queue.add(ABOUT, prepare);
    const end = queue.beforeApplicationShutdown();
    queue.add(ABOUT, prepare);
    await jest.advanceTimersByTimeAsync(0);
    await end;
    expect([calls, queue.size, jest.getTimerCount()]).toEqual([5, 0, 0]);
    expect(logs.lines).toEqual([]);
    expect(() => queue.add(ABOUT, prepare)).toThrow(FULL);
  });

  it('gives up after three seconds when the application ends, whatever is answered later', async () => {
    const answers: ((error: Error) => void)[] = [];
    const mailer = new Sends(() => new Promise((_, reject) => answers.push(reject)));
    const { queue, events } = queueOf(mailer);
    for (let i = 0; i < 7; i++) {
      queue.add(ABOUT, prepare);
    }
    let isOver = false;
    const end = queue.beforeApplicationShutdown().then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(2999);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await end;
    expect(logs.ours()).toEqual([expect.stringContaining('7 mails were not sent: the application ended')]);
    answers.forEach((answer) => answer(new Error('late')));
    await seconds(200);
    expect([mailer.calls, events.noted, logs.lines.length, jest.getTimerCount()]).toEqual([5, [], 1, 0]);
  });
});
