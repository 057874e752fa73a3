import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken, unavailable } from 'kit-auth/feature';
import { MessageContexts, type ResolvedPrincipal } from 'kit-auth/login';
import { loginUser } from 'test-support';
import type { Connection } from '../connections/connection.js';
import type { Handshake, ServerRule } from '../connections/handshake.js';
import { endOf, type SocketEnd } from '../connections/socket-end.js';
import { SocketRegistry } from '../connections/socket.registry.js';
import { RenewalMessage } from '../gateways/renewal.message.js';
import { HandshakeToken } from './handshake.token.js';
import { Handshakes } from './handshakes.js';

const RULE: ServerRule = {
  ...{ name: 'Gateway', needsToken: true, readsToken: true, ignoresInvalid: false, gateways: [] },
};
const MISSING = new AuthException(AuthErrorCode.TOKEN_MISSING);
const INVALID = invalidToken('expired');
const PRINCIPAL = { user: loginUser(), proof: { loginId: 'login' } } as unknown as ResolvedPrincipal;

const find = jest.fn<() => unknown>();
/** Takes a token without a prefix. */
const given = HandshakeToken.prototype.given.bind({ reader: { tokenOf: (token: string) => token } } as never);
const resolve = jest.fn<(token: unknown) => Promise<ResolvedPrincipal>>();
const check = jest.fn<() => Promise<void>>();
const isSame = jest.fn<() => Promise<boolean>>();
const opened = jest.fn();
const close = jest.fn<(end: SocketEnd) => void>();
const hints = { hintsSoFar: 0, lookAt: jest.fn<(bearer: unknown) => void>() };
let registry: SocketRegistry;
let handshakes: Handshakes;
let isGone: boolean;

beforeEach(() => {
  [find, resolve, check, isSame, opened, close, hints.lookAt].forEach((mock) => mock.mockReset());
  [isGone, hints.hintsSoFar] = [false, 0];
  find.mockReturnValue('token');
  resolve.mockResolvedValue(PRINCIPAL);
  isSame.mockResolvedValue(true);
  registry = new SocketRegistry({ closed: () => undefined } as never);
  handshakes = new Handshakes(
    { find, given } as never,
    { resolve } as never,
    { check } as never,
    new MessageContexts(),
    registry,
    hints as never,
    { isSame } as never,
    { opened, refused: (_via: string, _rule: object, error: unknown) => endOf(error) } as never,
    { settings: { maxPerUser: 3, maxWaiting: 5 } } as never,
  );
});

const handshake = () =>
  ({
    via: 'ws',
    client: {},
    request: { headers: {}, socket: {} },
    close,
    isGone: () => isGone,
  }) as unknown as Handshake;
const decide = (rule: Partial<ServerRule> = {}) => handshakes.decide(handshake(), { ...RULE, ...rule });
const ends = () => close.mock.calls.map(([{ code, reason }]) => `${code} ${reason}`);

describe('a handshake', () => {
  it('admits the user of its token', async () => {
    const connection = await decide();
    expect(connection?.principal === PRINCIPAL).toBe(true);
    expect([registry.countOf(7), opened.mock.calls.length, ends()]).toEqual([1, 1, []]);
    expect(hints.lookAt).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<ServerRule>, { found?: unknown; resolved?: Error; checked?: Error }]>([
    ['4401 missing', {}, { found: MISSING }],
    ['4401 missing', { readsToken: false }, {}],
    ['4401 expired', {}, { resolved: INVALID }],
    ['4401 expired', { needsToken: false }, { resolved: INVALID }],
    ['4401 expired', { ignoresInvalid: true }, { resolved: INVALID }],
    ['1013 unavailable', { needsToken: false, ignoresInvalid: true }, { resolved: unavailable() }],
    ['1013 unavailable', {}, { resolved: new Error('any') }],
    ['4403 forbidden', {}, { checked: new AuthException(AuthErrorCode.FORBIDDEN) }],
  ])('ends with %s for the rule %j and %p', async (end, rule, { found = 'token', resolved, checked }) => {
    find.mockReturnValue(found);
    resolve.mockImplementation(() => (resolved ? Promise.reject(resolved) : Promise.resolve(PRINCIPAL)));
    check.mockImplementation(() => (checked ? Promise.reject(checked) : Promise.resolve()));
    expect((await decide(rule)) === undefined).toBe(true);
    expect([ends(), registry.countOf(7), opened.mock.calls.length]).toEqual([[end], 0, 0]);
  });

  it.each<[Partial<ServerRule>, found: unknown]>([
    [{ needsToken: false }, MISSING],
    [{ needsToken: false, readsToken: false }, 'token'],
    [{ needsToken: false, ignoresInvalid: true }, 'token'],
  ])('admits a client without a user for the rule %j and %p', async (rule, found) => {
    find.mockReturnValue(found);
    resolve.mockRejectedValue(INVALID);
    const connection = await decide(rule);
    expect([connection?.principal, connection?.bearer]).toEqual([undefined, undefined]);
    expect(connection?.isOver).toBe(false);
  });

  it('ends for clients that find as many waiting as may, and no longer when those are decided', async () => {
    const resolvers: (() => void)[] = [];
    resolve.mockImplementation(
      () =>
        new Promise((done, fail) =>
          resolvers.push(() => (resolvers.length > 4 ? done(PRINCIPAL) : fail(INVALID))),
        ),
    );
    const waiting = Array.from({ length: 5 }, () => decide());
    await decide();
    expect(ends()).toEqual(['4429 too-many-waiting']);
    resolvers.splice(0).forEach((settle) => settle());
    await Promise.all(waiting);
    resolve.mockResolvedValue(PRINCIPAL);
    expect((await decide()) !== undefined).toBe(true);
  });

  it('admits no more sockets of a user than allowed, when all come at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => decide()));
    expect([all.filter(Boolean).length, registry.countOf(7)]).toEqual([3, 3]);
    expect(ends()).toEqual(['4429 too-many-sockets', '4429 too-many-sockets']);
    registry.remove(all[0] as Connection);
    expect((await decide()) !== undefined).toBe(true);
  });

  it('forgets a client that has gone meanwhile', async () => {
    isGone = true;
    expect((await decide()) === undefined).toBe(true);
    expect([ends(), registry.countOf(7), opened.mock.calls.length]).toEqual([[], 0, 0]);
  });

  it('is looked at again when a hint has come since its token was looked up', async () => {
    resolve.mockImplementation(async () => {
      hints.hintsSoFar++;
      return PRINCIPAL;
    });
    const connection = await decide();
    expect(hints.lookAt.mock.calls.map(([bearer]) => bearer === connection?.bearer)).toEqual([true]);
  });
});

describe('the renewal of a token', () => {
  const note = jest.fn();
  beforeEach(() => {
    note.mockReset();
  });
  const texts = { of: ({ code, reason }: AuthException) => ({ code, reason }) };
  let connection: Connection;
  let send: (data: unknown) => Promise<{ event: string; data: unknown }>;
  beforeEach(async () => {
    connection = (await decide())!;
    const messages = new RenewalMessage(handshakes, registry, { note } as never, texts as never);
    const [handler] = messages.handlersFor(connection);
    expect(messages.handlersFor(connection)).toEqual([]); // another gateway of the server
    send = handler!.callback as typeof send;
  });

  it('gives a socket the next token of its login, and has it checked', async () => {
    const renewed = { ...PRINCIPAL };
    resolve.mockResolvedValue(renewed);
    expect(await send({ token: 'next' })).toEqual({ event: 'kit-auth', data: { ok: true } });
    expect([connection.principal === renewed, connection.bearer?.token]).toEqual([true, 'next']);
    expect(hints.lookAt.mock.calls.map(([bearer]) => bearer === connection.bearer)).toEqual([true]);
  });

  it('closes a socket with another login', async () => {
    isSame.mockResolvedValue(false);
    expect((await send({ token: 'next' })).data).toEqual({ code: 40300, reason: 'another-login' });
    expect([connection.end, note.mock.calls]).toEqual([{ code: 4403, reason: 'another-login' }, []]);
  });

  it.each([{ token: '' }, { token: 4711 }, { token: {} }, {}, 'x', 1, null, undefined, []])(
    'refuses %j, and keeps the socket',
    async (data) => {
      expect((await send(data)).data).toEqual({ code: 40101, reason: 'malformed' });
      expect([connection.isOver, note.mock.calls.length]).toEqual([false, 1]);
    },
  );

  it('says no more than that it failed, for other errors', async () => {
    resolve.mockRejectedValue(new Error('any'));
    expect((await send({ token: 'next' })).data).toEqual({ ok: false });
  });

  it('does not bring a socket back that is over', async () => {
    resolve.mockImplementation(async () => {
      await registry.end([connection], { code: 4401, reason: 'left' });
      return PRINCIPAL;
    });
    await send({ token: 'next' });
    expect(registry.ofUser(7)).toEqual([]);
  });

  it('is nothing for a client without a user', async () => {
    find.mockReturnValue(MISSING);
    const open = (await decide({ needsToken: false }))!;
    expect(
      new RenewalMessage(handshakes, registry, { note } as never, texts as never).handlersFor(open),
    ).toEqual([]);
    await expect(handshakes.renew(open, 'token')).rejects.toMatchObject({ code: 40101, reason: 'malformed' });
  });
});
