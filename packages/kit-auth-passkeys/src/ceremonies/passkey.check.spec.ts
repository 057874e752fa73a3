import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthAction, LoginUser } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import { loginUser } from 'test-support';
import { passkeysOptions } from '../passkeys.options.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import type { PasskeyStore } from '../stores/passkey.store.js';
import { DUMMY_PASSKEY, PasskeyCheck } from './passkey.check.js';
import type { Assertion, WebAuthn } from './web-authn.js';

const ADA = loginUser({ userId: 7, username: 'ada' });
const SINGLE = { deviceType: 'single', backedUp: false } as const;
const MULTI = { deviceType: 'multi', backedUp: true } as const;

describe('the check of an assertion', () => {
  const find = jest.fn<() => Promise<unknown>>();
  const use = jest.fn<(passkey: AuthPasskey, next: object) => Promise<boolean>>();
  const asserted = jest.fn<(...args: unknown[]) => Promise<Assertion | undefined>>();
  const note = jest.fn<AuthAction['note']>();
  let stored: { id: string; credentialId: string; publicKey: string } & Assertion;

  beforeEach(() => {
    stored = { id: 'hash', credentialId: 'AAAA', publicKey: 'key', counter: 0, ...MULTI };
    find
      .mockReset()
      .mockImplementation(async () => ({ passkey: { ...stored }, userId: 7, handle: 'handle' }));
    use.mockReset().mockResolvedValue(true);
    asserted.mockReset();
    note.mockReset();
  });

  function check(
    assertion: Assertion | undefined,
    {
      counters = 'strict',
      userHandle = 'handle',
      user,
    }: { counters?: 'strict' | 'note'; userHandle?: string | null; user?: LoginUser | undefined } = {},
  ) {
    asserted.mockResolvedValue(assertion);
    const users = { loadLoginUser: async () => ADA } as unknown as ActiveUserStore;
    const options = passkeysOptions.resolve({ rpId: 'example.com', rpName: 'Example', counters });
    const checks = new PasskeyCheck(
      { asserted } as unknown as WebAuthn,
      { find, use } as unknown as PasskeyStore,
      users,
      options,
    );
    const response = { id: 'AAAA', response: { ...(userHandle !== null && { userHandle }) } } as never;
    const action = { note } as unknown as AuthAction;
    return checks.check(response, { challenge: 'AAAA', action, ...(user && { user }) });
  }
  const isRight = async (...args: Parameters<typeof check>) => (await check(...args)).isRight;

  it('goes by the library, and takes as long for a passkey that nobody has', async () => {
    expect(await check({ counter: 0, ...MULTI })).toEqual({ isRight: true, userId: 7 });
    expect(await check(undefined)).toEqual({ isRight: false, userId: 7 });
    find.mockResolvedValue(undefined);
    expect(await check({ counter: 0, ...MULTI })).toEqual({ isRight: false, userId: undefined });
    expect(asserted.mock.calls.map(([, , passkey]) => passkey)).toMatchObject([
      { credentialId: 'AAAA' },
      { credentialId: 'AAAA' },
      DUMMY_PASSKEY,
    ]);
    expect(use).toHaveBeenCalledTimes(1);
  });

  it.each<[string, string | null, LoginUser | undefined, boolean]>([
    ['of a login', 'handle', undefined, true],
    ['of a login, with the handle of another user', 'other', undefined, false],
    ['of a login, without a handle', null, undefined, false],
    ['of the expected user', 'handle', ADA, true],
    ['of the expected user, without a handle', null, ADA, true],
    ['of the expected user, with the handle of another', 'other', ADA, false],
    ['of another user', 'handle', loginUser({ userId: 8 }), false],
    ['of another user, without a handle', null, loginUser({ userId: 8 }), false],
  ])('passes or not: a passkey %s', async (_what, userHandle, user, expected) => {
    expect(await isRight({ counter: 0, ...MULTI }, { userHandle, user })).toBe(expected);
  });

  it.each<[stored: number, shown: number, isRight: boolean]>([
    [4, 5, true],
    [4, 400, true],
    [5, 5, false],
    [5, 4, false],
    [5, 0, false],
    [0, 0, true],
    [0, 1, true],
  ])('of a single device that has counted to %i and shows %i: %s', async (counter, shown, expected) => {
    Object.assign(stored, { ...SINGLE, counter });
    expect(await isRight({ counter: shown, ...SINGLE })).toBe(expected);
    const about = { subjectId: 7, subject: 'ada', success: false, detail: 'hash' };
    expect(note.mock.calls).toEqual(expected ? [] : [[{ type: 'passkey-counter', ...about }]]);
    expect(use.mock.calls.map(([, next]) => next)).toEqual(
      expected ? [{ counter: shown, backedUp: false }] : [],
    );
    note.mockReset();
    expect(await isRight({ counter: shown, ...SINGLE }, { counters: 'note' })).toBe(true);
    expect(note).toHaveBeenCalledTimes(expected ? 0 : 1);
    expect(use.mock.lastCall?.[1]).toEqual({ counter: Math.max(counter, shown), backedUp: false });
  });

  it('of several devices lets the counter be', async () => {
    stored.counter = 5;
    expect(await isRight({ counter: 0, ...MULTI })).toBe(true);
    expect(use.mock.lastCall?.[1]).toEqual({ counter: 0, backedUp: true });
    expect(note).not.toHaveBeenCalled();
  });

  it('refuses a passkey that has become one of another kind', async () => {
    expect(await isRight({ counter: 1, ...SINGLE })).toBe(false);
    Object.assign(stored, SINGLE);
    expect(await isRight({ counter: 1, ...MULTI })).toBe(false);
    expect(use).not.toHaveBeenCalled();
  });

  it('tells of a backup that was lost', async () => {
    expect(await isRight({ counter: 0, deviceType: 'multi', backedUp: false })).toBe(true);
    expect(note.mock.calls).toEqual([
      [{ type: 'passkey-changed', subjectId: 7, subject: 'ada', detail: 'not backed up' }],
    ]);
    note.mockReset();
    stored.backedUp = false;
    expect(await isRight({ counter: 0, deviceType: 'multi', backedUp: false })).toBe(true);
    expect(await isRight({ counter: 0, ...MULTI })).toBe(true);
    expect(note).not.toHaveBeenCalled();
  });

  it('looks again, once, at a passkey that another request has used', async () => {
    Object.assign(stored, { ...SINGLE, counter: 4 });
    use.mockResolvedValueOnce(false);
    expect(await isRight({ counter: 5, ...SINGLE })).toBe(true);
    expect([find.mock.calls.length, use.mock.calls.length]).toEqual([2, 2]);
    use.mockReset().mockResolvedValue(false);
    expect(await isRight({ counter: 5, ...SINGLE })).toBe(false);
    expect(use).toHaveBeenCalledTimes(2);
    use.mockReset().mockImplementationOnce(async () => {
      stored.counter = 5; // the same assertion, at the same time
      return false;
    });
    expect(await isRight({ counter: 5, ...SINGLE })).toBe(false);
    use.mockReset().mockImplementationOnce(async () => {
      find.mockResolvedValue(undefined); // removed
      return false;
    });
    expect(await isRight({ counter: 5, ...SINGLE })).toBe(false);
  });
});
