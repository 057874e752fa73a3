import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AuthErrorCode, AuthException, type ErrorCode } from 'kit-auth';
import type { Invitations, NewInvitation } from './invitations/invitations.js';
import { KitAuthInvitationController } from './registration.controller.js';

const NAMES = ['nickname', 'locale', 'roles'] as const;
type Name = (typeof NAMES)[number];

/** The invitation that a body asks for. */
function invitationOf(more: object): NewInvitation {
  let read: NewInvitation | undefined;
  const invite = (invitation: NewInvitation) => void (read = invitation);
  const controller = new KitAuthInvitationController({ invite } as unknown as Invitations);
  const body = Object.assign(more, { email: 'Ada@Example.com' });
  void controller.invite({ body, headers: { 'content-type': 'application/json' } } as never);
  return read as NewInvitation;
}

describe('the members of a body', () => {
  it.each<[Name, unknown, unknown]>([
    ['nickname', ' Ada  ', 'Ada'],
    ['nickname', undefined, undefined],
    ['locale', 'pt-br', 'pt-BR'],
    ['locale', undefined, undefined],
    ['roles', ['editor', 'a:b c'], ['editor', 'a:b c']],
    ['roles', undefined, []],
  ])('%s may be %j', (name, value, read) => {
    expect(invitationOf({ [name]: value })[name]).toEqual(read);
  });

  it.each<[Name, unknown]>([
    ['nickname', ''],
    ['locale', 'de_DE'],
    ['locale', ['de']],
    ['locale', `de-x-${'abcdefgh-'.repeat(4)}a`],
    ['roles', 'editor'],
    ['roles', [7]],
    ['roles', ['a\nb']],
    ['roles', ['\ud800']],
    ['roles', ['a', 'a']],
    ['roles', Array.from({ length: 101 }, String)],
  ])('%s may not be %j', (name, value) => {
    expect(codeOf(() => invitationOf({ [name]: value }))).toBe(AuthErrorCode.BAD_REQUEST);
  });

  it('are own members, and never read otherwise', () => {
    expect(invitationOf(Object.create({ nickname: 'a\u0000', locale: '', roles: 7 }) as object)).toEqual({
      address: { address: 'Ada@Example.com', key: 'ada@example.com' },
      nickname: undefined,
      locale: undefined,
      roles: [],
    });
  });

  it('are read or refused with 40000, whatever they are', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.anything(), (name, value) => {
        const code = codeOf(() => invitationOf({ [name]: value }));
        expect([undefined, AuthErrorCode.BAD_REQUEST]).toContain(code);
      }),
    );
  });
});

function codeOf(read: () => unknown): ErrorCode | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AuthException) {
      return error.code;
    }
    throw error;
  }
}
