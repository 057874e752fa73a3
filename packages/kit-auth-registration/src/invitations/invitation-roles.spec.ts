import { describe, expect, it } from '@jest/globals';
import type { AccountChange, Grants, LoginUser } from 'kit-auth';
import { type ActiveUserStore, AdminAuthority } from 'kit-auth/feature';
import { loginUser } from 'test-support';
import { InvitationRoles } from './invitation-roles.js';

const ROLES: Record<string, Grants> = {
  note: { superAdmin: false, permissions: ['note:*'] },
  inviter: { superAdmin: false, permissions: ['auth:user:write'] },
  roles: { superAdmin: false, permissions: ['note:read', 'auth:role:write'] },
  root: { superAdmin: true, permissions: [] },
};
const CHANGE = { transaction: {} } as AccountChange;

/** What roles grant together, as the user store says it. */
function rolesOf(inviter?: LoginUser, hasRoles = true) {
  const changes: unknown[] = [];
  const users = {
    has: () => hasRoles,
    loadLoginUser: async () => inviter,
    grantsOf: async (codes: readonly string[], change?: AccountChange): Promise<Grants | undefined> => {
      changes.push(change);
      const grants = codes.map((code) => ROLES[code]);
      return grants.includes(undefined)
        ? undefined
        : {
            superAdmin: grants.some((one) => one!.superAdmin),
            permissions: grants.flatMap((one) => one!.permissions),
          };
    },
  } as unknown as ActiveUserStore;
  return { roles: new InvitationRoles(users), changes };
}

const inviterWith = (...permissions: string[]) => loginUser({ superAdmin: false, permissions });
const invitation = (...roles: string[]) => ({ address: 'ada@example.com', roles, inviterId: 1 });

describe('the roles of an invitation that is sent', () => {
  const send = async (administrator: Grants, roles: string[], { isFresh = true, hasRoles = true } = {}) => {
    const authority = new AdminAuthority(administrator, async () => {
      if (!isFresh) {
        throw Object.assign(new Error('not fresh'), { code: 40120 });
      }
    });
    return rolesOf(undefined, hasRoles)
      .roles.require(roles, authority)
      .then(
        () => 0,
        (error: unknown) => (error as { code: number }).code,
      );
  };
  const superAdmin = { superAdmin: true, permissions: [] };
  const helpdesk = { superAdmin: false, permissions: ['auth:user:write'] };

  it.each<[string, Grants, string[], number]>([
    ['none', helpdesk, [], 0],
    ['permissions of the application that the inviter lacks', helpdesk, ['note'], 0],
    ['permissions that the inviter has', helpdesk, ['inviter', 'note'], 0],
    ['permissions beyond those of the inviter', helpdesk, ['note', 'roles'], 40300],
    ['everything', helpdesk, ['root'], 40300],
    ['everything, by a super administrator', superAdmin, ['root', 'roles'], 0],
    ['nothing, because one does not exist', superAdmin, ['note', 'nobody'], 40000],
  ])('may grant %s, or not', async (_, administrator, roles, code) => {
    expect(await send(administrator, roles)).toBe(code);
  });

  it('need a fresh login where one makes an administrator', async () => {
    expect(await send(superAdmin, ['root'], { isFresh: false })).toBe(40120);
    expect(await send(superAdmin, ['note', 'roles'], { isFresh: false })).toBe(40120);
    expect(await send(helpdesk, ['roles'], { isFresh: false })).toBe(40300);
    expect(await send(superAdmin, ['note'], { isFresh: false })).toBe(0);
    expect(await send(superAdmin, [], { isFresh: false })).toBe(0);
  });

  it('are not possible with a user store without roles, but invitations without roles are', async () => {
    expect(await send(superAdmin, ['note'], { hasRoles: false })).toBe(50100);
    expect(await send(superAdmin, [], { hasRoles: false })).toBe(0);
  });
});

describe('the roles of an invitation that is ended or replaced', () => {
  it.each<[string[], boolean]>([
    [[], true],
    [['note', 'inviter'], true],
    [['nobody'], true],
    [['nobody', 'roles'], false],
    [['root'], false],
  ])('%j are within the reach of an administrator: %s', async (given, isInReach) => {
    const { roles, changes } = rolesOf();
    const authority = new AdminAuthority(inviterWith('auth:user:write'));
    const reach = roles.requireReach(invitation(...given), authority, CHANGE);
    await (isInReach ? reach : expect(reach).rejects.toMatchObject({ code: 40300 }));
    expect(changes.every((change) => change === CHANGE)).toBe(true);
  });
});

describe('the roles of an invitation that is accepted', () => {
  it.each<[string, LoginUser | undefined, string[], boolean]>([
    ['no roles', inviterWith('auth:user:write'), [], true],
    ['roles within the reach of the inviter', inviterWith('auth:user:*'), ['note', 'inviter'], true],
    ['the roles of a super administrator', loginUser({ superAdmin: true }), ['root'], true],
    ['a role that has grown', inviterWith('auth:user:write'), ['roles'], false],
    ['a role that was deleted', inviterWith('auth:user:write'), ['nobody'], false],
    ['an inviter who may not invite any more', inviterWith('auth:user:read'), [], false],
    ['an inviter who is gone or disabled', undefined, [], false],
  ])('are given with %s, or not', async (_, inviter, given, isGiven) => {
    const { roles, changes } = rolesOf(inviter);
    expect(await roles.find(invitation(...given), CHANGE)).toEqual(isGiven ? given : undefined);
    const got = roles.get(invitation(...given), CHANGE);
    await (isGiven
      ? expect(got).resolves.toEqual(given)
      : expect(got).rejects.toMatchObject({ code: 40010 }));
    expect(changes).toEqual([CHANGE, CHANGE]);
  });
});
