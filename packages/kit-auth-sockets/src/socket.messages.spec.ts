import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthErrorCode, AuthException, IllegalStateException } from 'kit-auth';
import { MessageContexts } from 'kit-auth/login';
import { Connection, Connections } from './connections/connection.js';
import { GraphqlSubscriptions } from './graphql/graphql.subscriptions.js';
import { SocketMessages } from './socket.messages.js';

const FORBIDDEN = new AuthException(AuthErrorCode.FORBIDDEN);
const contexts = new MessageContexts();

describe('the user of a message', () => {
  const note = jest.fn();
  const checks = { isCertain: jest.fn(), principalOf: jest.fn() };
  const connections = new Connections();
  const messages = new SocketMessages(connections, checks as never, { note } as never);
  const client = {};
  const connection = new Connection(
    'ws',
    client,
    {} as never,
    {} as never,
    contexts.open({ scheme: 'now' } as never, undefined),
    () => undefined,
    contexts,
  );
  connections.note(connection);
  const message = (parts: unknown[], type = 'ws') =>
    ({ getType: () => type, getArgByIndex: (i: number) => parts[i] }) as never;
  beforeEach(() => {
    [note, checks.isCertain, checks.principalOf].forEach((mock) => mock.mockReset());
  });

  it('is found by the client, or by the context in which the message is handled', () => {
    checks.isCertain.mockReturnValue(true);
    expect(messages.principalOf(message([client]))).toBe(connection.principal);
    expect(connection.context.run(() => messages.principalOf(message([{}])))).toBe(connection.principal);
    expect(messages.principalOf(message([{}]))).toBeUndefined();
    expect(contexts.run(undefined, undefined, () => messages.principalOf(message([client])))).toBeUndefined();
  });

  it('is checked where it may have changed', () => {
    checks.isCertain.mockReturnValue(false);
    checks.principalOf.mockReturnValue('checked');
    expect(messages.principalOf(message([client]))).toBe('checked');
  });

  it('is refused once for an operation of GraphQL, whatever the number of its resolvers', () => {
    const operation = { variableValues: {} };
    for (let resolver = 0; resolver < 3; resolver++) {
      expect(messages.refusal(FORBIDDEN, message([client, , , operation], 'graphql'))).toBe(FORBIDDEN);
    }
    messages.refusal(FORBIDDEN, message([client, , , { variableValues: {} }], 'graphql'));
    messages.refusal(FORBIDDEN, message([client]));
    messages.refusal(FORBIDDEN, message([client]));
    messages.refusal(FORBIDDEN, message([{}]));
    expect(note).toHaveBeenCalledTimes(4);
  });
});

describe('the options for Mercurius', () => {
  const subscriptions = (enabled: boolean) =>
    new GraphqlSubscriptions(
      ...([{}, {}, {}, { enabled }, { settings: { from: [] } }] as unknown as ConstructorParameters<
        typeof GraphqlSubscriptions
      >),
    );

  it('refuse all clients of a version that they do not know, unless kit-auth is off', async () => {
    for (const connection of [undefined, {}]) {
      const connecting = (enabled: boolean) =>
        subscriptions(enabled)
          .mercurius()
          .onConnect.call(connection as never, {});
      await expect(connecting(true)).rejects.toThrow(IllegalStateException);
      expect(await connecting(false)).toEqual({});
    }
  });
});
