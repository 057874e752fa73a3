import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuthEvent } from 'kit-auth';
import { loginUser } from 'test-support';
import type { AuthMail } from './mails/auth-mail.js';
import { AccountNotices } from './account.notices.js';

const ADDRESS = 'Ada@example.com';
const done: unknown[] = [];
let told: { about: object; mail: () => Promise<AuthMail | undefined> }[] = [];
let isAllowed = true;
const notices = new AccountNotices(
  {
    tell: (about: object, mail: () => Promise<AuthMail | undefined>) => void told.push({ about, mail }),
  } as never,
  {
    find: async (userId: number) => (userId === 7 ? { address: ADDRESS } : undefined),
    remove: async (...args: unknown[]) => void done.push(['address', ...args]),
  } as never,
  { loadLoginUser: async () => loginUser() } as never,
  { cancel: async (...args: unknown[]) => void done.push(['links', ...args]) } as never,
  { countNotice: async (...args: unknown[]) => (done.push(args), isAllowed) } as never,
  { end: async (...args: unknown[]) => void done.push(['change', ...args]) } as never,
);
const event = (fields: Partial<AuthEvent>) =>
  ({ subjectId: 7, subject: 'ada', success: true, ...fields }) as AuthEvent;

describe('notices about an account', () => {
  beforeEach(() => {
    [told, isAllowed] = [[], true];
    done.length = 0;
  });

  it.each<[string, string, boolean]>([
    ['password-changed', 'password-changed', true],
    ['password-reset', 'password-changed', true],
    ['factor-added', 'factor-changed', true],
    ['factor-removed', 'factor-changed', true],
    ['recovery-used', 'factor-changed', true],
    ['recovery-renewed', 'factor-changed', true],
    ['passkey-added', 'factor-changed', true],
    ['passkey-removed', 'factor-changed', true],
    ['identity-linked', 'factor-changed', true],
    ['identity-removed', 'factor-changed', true],
    ['key-created', 'key-created', true],
    ['external-login-failed', 'already-registered', false],
  ])('tell of %s with %s', async (type, kind, success) => {
    notices.committed(event({ type, success } as Partial<AuthEvent>));
    expect(told.map(({ about }) => about)).toEqual([{ kind, subjectId: 7, subject: 'ada' }]);
    const { roles: _, permissions: __, ...user } = loginUser();
    expect(await told[0]!.mail()).toEqual({ kind, to: ADDRESS, user });
    expect(done).toEqual([[kind, 7]]);
  });

  it.each<Partial<AuthEvent>>([
    { type: 'login' },
    { type: 'password-changed', success: false },
    { type: 'external-login-failed' },
    { type: 'password-changed', subjectId: null },
  ])('say nothing of %j', (other) => {
    notices.committed(event(other));
    expect(told).toEqual([]);
  });

  it('go to nobody without an address, nor over a limit', async () => {
    notices.committed(event({ type: 'password-changed', subjectId: 8 }));
    notices.committed(event({ type: 'password-changed' }));
    isAllowed = false;
    expect(await Promise.all(told.map(({ mail }) => mail()))).toEqual([undefined, undefined]);
    expect(done).toEqual([['password-changed', 7]]);
  });
});

describe('what events end', () => {
  it.each<[Partial<AuthEvent>, unknown[]]>([
    [{ type: 'login' }, []],
    [{ type: 'user-deleted', subjectId: null }, []],
    [
      { type: 'user-deleted' },
      [
        ['address', 7, 'tx'],
        ['links', { userId: 7 }, 'tx'],
      ],
    ],
    [{ type: 'logout', endedSessions: 'a login' }, [['change', 7, 'tx', 'a login']]],
    [
      { type: 'password-changed', endedSessions: 'all' },
      [
        ['change', 7, 'tx', undefined],
        ['links', { purpose: 'login-link', userId: 7 }, 'tx'],
      ],
    ],
  ])('%j: %j', async (about, ended) => {
    done.length = 0;
    await notices.keep(event(about), 'tx');
    expect(done).toEqual(ended);
  });
});
