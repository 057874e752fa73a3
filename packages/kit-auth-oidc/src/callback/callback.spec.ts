import { expect, it } from '@jest/globals';
import { Callbacks } from './callback.js';

it.each([
  ['logs in', true, { fragment: { 'kit-auth': 'ok' }, answer: 'a login' }],
  ['does not if its identity was removed meanwhile', false, { code: 40114, reason: 'state' }],
])('a user who comes back from the provider %s', async (_what, isThere, expected) => {
  const identity = { provider: 'test', issuer: 'https://login.example.com', subject: 'ada' };
  const action = { note: () => undefined };
  const logins = {
    begin: () => ({ action }),
    callOnLogin: async () => undefined,
    logIn: async () => 'a login',
  };
  const callbacks = new Callbacks(
    { get: () => ({ mfa: [], fresh: true }) } as never,
    { redeem: async () => ({ identity, methods: [] }) } as never,
    { find: async () => ({ userId: 7 }), use: async () => isThere } as never,
    logins as never,
    ...([undefined, undefined, undefined] as unknown as [never, never, never]),
  );
  const url = new URL('https://api.example.com/callback');
  const outcome = callbacks.complete({ provider: 'test' } as never, url, {}, {} as never);
  expect(await outcome.catch((error: unknown) => error)).toMatchObject(expected);
});

it('a user without an account signs up with what the provider says about the address', async () => {
  const identity = { provider: 'test', address: 'ada@example.com', isVerified: false };
  const verified = { ...identity, isVerified: true, name: 'Ada' };
  const offered: unknown[] = [];
  const offer = async (signingUp: unknown) => {
    offered.push(signingUp);
    return 'a-token';
  };
  const callbacks = new Callbacks(
    { get: () => ({ mfa: [], fresh: true }) } as never,
    { redeem: async () => ({ identity, methods: [], verified: async () => verified }) } as never,
    { find: async () => undefined } as never,
    { begin: () => ({ action: {} }) } as never,
    { offer } as never,
    ...([undefined, undefined] as unknown as [never, never]),
  );
  const url = new URL('https://api.example.com/callback');
  const { fragment } = await callbacks.complete({ provider: 'test' } as never, url, {}, {} as never);
  expect(offered).toEqual([verified]);
  expect(fragment).toMatchObject({ token: 'a-token', address: 'ada@example.com', name: 'Ada' });
});
