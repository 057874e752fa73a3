import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import type { ActiveUserStore } from '../users/active.user-store.js';
import type { PasswordHashing } from '../passwords/password.hashing.js';
import { DefaultAdminSeeder } from './default-admin.seeder.js';

describe('the default administrator', () => {
  const warn = jest.fn<(line: string) => void>();
  const required: unknown[] = [];

  /** Seeds with a store whose `ensureAdministrator` returns this; undefined: it has none. */
  function seed(outcome: object | undefined, options: object = {}): Promise<boolean> {
    const resolved = kitAuthOptions.resolve(options);
    const users = {
      require: (...feature: unknown[]) => void required.push(feature),
      has: () => outcome !== undefined,
      get: () => ({ ensureAdministrator: async () => outcome }),
    } as unknown as ActiveUserStore;
    const hashing = {
      verify: async (password: string, hash: string) => password === hash,
    } as unknown as PasswordHashing;
    return new DefaultAdminSeeder(resolved.settings, resolved, users, hashing).seed();
  }

  beforeEach(() => {
    warn.mockClear();
    required.length = 0;
    Logger.overrideLogger({ warn, log: () => undefined, error: () => undefined, debug: () => undefined });
  });
  afterEach(() => Logger.overrideLogger(false));

  const OWN = { defaultAdminPassword: 'a password of my own' };

  it.each<[string, object, object, boolean]>([
    ['was created with the built-in password', { outcome: 'created' }, {}, true],
    ['was created with another password', { outcome: 'created' }, OWN, false],
    ['was bound with the built-in password', { outcome: 'bound' }, {}, true],
    ['was bound with another password', { outcome: 'bound' }, OWN, false],
    ['still has the built-in password', { outcome: 'present', passwordHash: 'admin' }, OWN, true],
    ['has a password of its own', { outcome: 'present', passwordHash: 'x' }, {}, false],
  ])('is warned about only with the built-in password: it %s', async (_what, outcome, options, isDefault) => {
    expect(await seed(outcome, options)).toBe(isDefault);
    expect(warn.mock.calls.map(([line]) => line)).toEqual(
      isDefault ? [expect.stringContaining('still has the built-in default password')] : [],
    );
  });

  it('may be missing, which is warned about', async () => {
    expect(await seed({ outcome: 'refused' })).toBe(false);
    expect(warn.mock.calls.map(([line]) => line)).toEqual([
      expect.stringContaining('there is no administrator'),
    ]);
  });

  it('needs a store that can make one, if its options are given', async () => {
    expect(await seed(undefined)).toBe(false);
    expect(required).toEqual([]);
    await seed(undefined, { defaultAdminUsername: 'root', ...OWN });
    expect(required).toEqual([
      ['kit.auth.defaultAdminUsername', 'ensureAdministrator'],
      ['kit.auth.defaultAdminPassword', 'ensureAdministrator'],
    ]);
    expect(warn).not.toHaveBeenCalled();
  });
});
