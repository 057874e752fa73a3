import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type AccountChange, type Grants, IllegalStateException, type KitAuthSettings } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import { MemoryLogger } from 'test-support';
import { registrationOptions } from '../registration.options.js';
import { DefaultRoles } from './default-roles.js';

const of = (...permissions: string[]): Grants => ({ superAdmin: false, permissions });

/** @param known what each role grants by itself */
function rolesWith(roles: readonly string[], known: Record<string, Grants>, enabled = true) {
  const changes: unknown[] = [];
  const users = {
    grantsOf: async (codes: readonly string[], change?: AccountChange) => {
      changes.push(change);
      const grants = codes.map((code) => known[code]);
      return grants.includes(undefined)
        ? undefined
        : {
            superAdmin: grants.some((one) => one!.superAdmin),
            permissions: grants.flatMap((one) => one!.permissions),
          };
    },
  } as unknown as ActiveUserStore;
  const options = registrationOptions.resolve({ roles });
  return { roles: new DefaultRoles(users, options, { enabled } as KitAuthSettings), changes };
}

describe('the roles of every new account', () => {
  const key = 'kit.auth.registration.roles names the role';
  let logs: MemoryLogger;
  beforeEach(() => {
    logs = new MemoryLogger();
    Logger.overrideLogger(logs);
  });

  it.each<[string, readonly string[], Record<string, Grants>]>([
    ['none', [], {}],
    ['permissions of the application', ['a', 'b'], { a: of('note:*'), b: of('author:read', 'authors') }],
  ])('may grant %s', async (_, codes, known) => {
    const { roles, changes } = rolesWith(codes, known);
    await roles.onApplicationBootstrap();
    const change = { transaction: {} } as AccountChange;
    expect(await roles.get(change)).toEqual(codes);
    expect(changes).toEqual([undefined, change]);
    expect(logs.lines).toEqual([]);
  });

  it.each<[string, Record<string, Grants>, string]>([
    ['are missing', { a: of() }, `${key} b, which does not exist. Create it, for example in a migration.`],
    ['grant auth', { a: of(), b: of('x:y', 'auth') }, `${key} b, which grants auth. Whoever registers would`],
    ['grant one of ours', { a: of('auth:user:read'), b: of() }, `${key} a, which grants auth:user:read.`],
    ['grant one of all', { a: of('*:read'), b: of() }, `${key} a, which grants *:read.`],
    [
      'grant all',
      { a: { superAdmin: true, permissions: [] }, b: of() },
      `${key} a, which grants everything.`,
    ],
  ])('fail the start where they %s, and later registrations', async (_, known, problem) => {
    const { roles } = rolesWith(['a', 'b'], known);
    const starting = roles.onApplicationBootstrap();
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow(problem);
    await expect(roles.get()).rejects.toMatchObject({ code: 50300 });
    expect(logs.ours()).toEqual([
      expect.stringContaining(`error [auth] registration is not possible: ${problem}`),
    ]);
  });

  it('may change while they are looked at', async () => {
    const known: Record<string, Grants> = { a: of() };
    const { roles } = rolesWith(['a', 'b'], known);
    const together = roles.get();
    known['b'] = of(); // after it was missing in the first look-up
    await expect(together).rejects.toMatchObject({ code: 50300 });
    expect(logs.all()).toContain('names roles that are being changed. Try again.');
    expect(await roles.get()).toEqual(['a', 'b']);
  });

  it('are of no interest while kit-auth is switched off', async () => {
    const { roles, changes } = rolesWith(['nobody'], {}, false);
    await roles.onApplicationBootstrap();
    expect(changes).toEqual([]);
  });
});
