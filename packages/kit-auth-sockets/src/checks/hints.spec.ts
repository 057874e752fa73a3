import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthEvent } from 'kit-auth';
import type { Bearer } from '../connections/connection.js';
import { Hints } from './hints.js';

const CHANNEL = 'kit-auth-logins';

const bearerOf = (userId: number, ...roles: string[]) => ({
  hint: jest.fn(),
  principal: { user: { userId, roles } },
});

describe('hints', () => {
  const enqueue = jest.fn<(bearer: unknown) => void>();
  const userChanged = jest.fn();
  const publish = jest.fn<(channel: string, text: string) => void>();
  let bearers: ReturnType<typeof bearerOf>[];
  let receive: (text: string) => void;
  let hints: Hints;

  beforeEach(() => {
    jest.useFakeTimers();
    [enqueue, userChanged, publish].forEach((mock) => mock.mockReset());
    bearers = [bearerOf(7, 'editor'), bearerOf(7), bearerOf(8, 'editor')];
    hints = newHints();
    hints.onModuleInit();
  });
  afterEach(() => {
    hints.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  function newHints(hasBus = true): Hints {
    const bus = { publish, subscribe: (_: string, listener: typeof receive) => (receive = listener) };
    return new Hints(
      { enqueue } as never,
      {
        bearersOf: (id: number) => bearers.filter(({ principal }) => principal.user.userId === id),
        all: () => bearers.values(),
      } as never,
      { userChanged } as never,
      { idType: 'number' } as never,
      { only: () => (hasBus ? bus : undefined) } as never,
      { enabled: true } as never,
    );
  }

  const event = (type: string, fields: Partial<AuthEvent>) =>
    hints.committed({ type, subjectId: null, subject: null, ...fields } as AuthEvent);
  const asked = () => enqueue.mock.calls.map(([bearer]) => bearers.indexOf(bearer as never));

  it('have the tokens of a user checked at once, after a second and after five, for transactions that are open', () => {
    hints.ended({ userId: 7 } as never);
    expect([asked(), hints.hintsSoFar]).toEqual([[0, 1], 1]);
    jest.advanceTimersByTime(1000);
    expect(asked()).toEqual([0, 1, 0, 1]);
    jest.advanceTimersByTime(4000);
    expect(asked()).toEqual([0, 1, 0, 1, 0, 1]);
    expect([bearers[0]!.hint.mock.calls.length, jest.getTimerCount()]).toEqual([3, 0]);
  });

  it('plan anew when another comes for the same user', () => {
    hints.ended({ userId: 8 } as never);
    jest.advanceTimersByTime(500);
    hints.ended({ userId: 8 } as never);
    jest.advanceTimersByTime(5000);
    expect(asked()).toEqual([2, 2, 2, 2]);
  });

  it.each([
    ...['logout', 'logged-out-by-provider', 'login-ended', 'sessions-ended', 'token-reused', 'key-ended'],
    ...['password-changed', 'password-reset', 'user-changed', 'user-status-changed', 'user-roles-changed'],
    'user-deleted',
  ])('come from the event %s of a user', (type) => {
    event(type, { subjectId: 8, subject: 'eve' });
    expect(asked()).toEqual([2]);
  });

  it('come from no other event', () => {
    event('login', { subjectId: 8 });
    event('logout', {});
    event('role-created', { subject: 'editor' });
    expect([asked(), publish.mock.calls]).toEqual([[], []]);
  });

  it.each(['role-changed', 'role-deleted'])('of a role (%s) are spread over two seconds', (type) => {
    bearers = Array.from({ length: 100 }, (_, i) => bearerOf(i, 'editor')).concat(bearerOf(1000));
    event(type, { subject: 'editor' });
    expect(bearers.map(({ hint }) => hint.mock.calls.length)).toEqual([...Array<number>(100).fill(1), 0]);
    jest.advanceTimersByTime(0);
    expect(asked()).toEqual([0, 1, 2, 3, 4]);
    jest.advanceTimersByTime(1000);
    expect(asked()).toHaveLength(55);
    jest.advanceTimersByTime(900);
    expect(asked()).toHaveLength(100);
  });

  it('reach other instances, and not the own one again', () => {
    hints.ended({ userId: 7 } as never);
    const [[channel, text]] = publish.mock.calls as [[string, string]];
    expect(channel).toBe(CHANNEL);
    receive(text);
    expect([asked(), userChanged.mock.calls]).toEqual([[0, 1], []]);
    newHints().onModuleInit();
    receive(text);
    expect([asked(), userChanged.mock.calls]).toEqual([[0, 1, 0, 1], [[7]]]);
    event('role-changed', { subject: 'editor' });
    expect(JSON.parse(publish.mock.calls[1]![1])).toMatchObject({ r: 'editor' });
    jest.clearAllTimers();
  });

  it('of others forget what is known of their users', () => {
    receive('{"u":8}');
    receive('{"r":"editor"}');
    expect(userChanged.mock.calls).toEqual([[8], []]);
    jest.advanceTimersByTime(0);
    expect(asked()).toEqual([2, 0]);
  });

  it('of strangers have no effect', () => {
    const junk = ['', 'x', 'null', '1', '[]', '{"u":null}', '{"u":"8"}', '{"r":1}', 'x'.repeat(100_000)];
    junk.forEach((text) => receive(text));
    expect([asked(), hints.hintsSoFar]).toEqual([[], 0]);
    receive('{"u":1e400}');
    expect(asked()).toEqual([]);
  });

  it('need no bus', () => {
    hints = newHints(false);
    hints.onModuleInit();
    hints.ended({ userId: 8 } as never);
    expect(asked()).toEqual([2]);
  });

  it('mark a token whose handshake they have crossed', () => {
    const [bearer] = bearers;
    hints.lookAt(bearer as unknown as Bearer);
    expect([asked(), bearer!.hint.mock.calls.length]).toEqual([[0], 1]);
  });
});
