import { expect, it } from '@jest/globals';
import { Callbacks } from './callbacks.js';

it.each([
  ['logs in', true, { fragment: { 'kit-auth': 'ok' }, answer: 'a login' }],
  ['does not if its identity was removed meanwhile', false, { code: 40114, reason: 'state' }],
])('a user who comes back from the provider %s', async (_what, isThere, expected) => {
  const identity = { provider: 'test', issuer: 'https://login.example.com', subject: 'ada' };
  const action = { note: () => undefined };
  const logins = { begin: () => ({ action }), tell: async () => undefined, logIn: async () => 'a login' };
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
