import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthException } from 'kit-auth';
import { freezeDate } from 'test-support';
import { OidcConfirmation } from './confirmation.js';

const NOW = 1_800_000_000;
const PRINCIPAL = { user: { userId: 7 } } as never;
const ANSWER = { token: 'a-token' };

const confirm = jest.fn<(...given: unknown[]) => Promise<object>>(async () => ANSWER);
beforeEach(() => {
  freezeDate(NOW * 1000);
  confirm.mockClear();
});

interface Given {
  /** The user who has linked the identity. */
  owner?: number;
  factors?: { oidc: number; mfa?: number };
  /** Undefined for one who was disabled. */
  user?: object | undefined;
}

function confirmed({ owner, factors = { oidc: NOW }, user }: Given) {
  const identities = { find: async () => owner && { userId: owner } };
  const users = { stampOf: async () => user && 'a-stamp', loadLoginUser: async () => user };
  const confirmation = new OidcConfirmation({ confirm } as never, identities as never, users as never);
  const login = { issuer: 'https://login.example.com', subject: 'ada', factors };
  return confirmation.confirm(PRINCIPAL, login as never, {} as never);
}

describe('the confirmation of a login', () => {
  it.each([0, 60])('needs a user whom the provider asked %d seconds ago', async (seconds) => {
    const factors = { oidc: NOW - seconds, mfa: NOW - seconds };
    expect(await confirmed({ owner: 7, factors, user: {} })).toBe(ANSWER);
    const shown = { user: {}, stamp: 'a-stamp', proof: { factors } };
    expect(confirm).toHaveBeenCalledWith(PRINCIPAL, shown, {});
  });

  const stale = { code: 40120, missing: ['oidc'], reason: 'expired' };
  it.each<[string, Given, object]>([
    ['by a provider that asked longer ago', { owner: 7, factors: { oidc: NOW - 61 } }, stale],
    ['by a provider that does not say when it asked', { owner: 7, factors: { oidc: 0 } }, stale],
    ['with an identity of somebody else', { owner: 8 }, stale],
    ['with an identity of nobody', {}, stale],
    ['of a user who is disabled by now', { owner: 7, user: undefined }, { code: 40101, reason: 'disabled' }],
  ])('is refused %s', async (_what, given, refusal) => {
    const error: unknown = await confirmed({ user: {}, ...given }).catch((reason: unknown) => reason);
    expect((error as AuthException).getResponse()).toMatchObject(refusal);
    expect(confirm).not.toHaveBeenCalled();
  });
});
