import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { published } from 'test-support';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import type { PasswordHasher } from '../contract/password-hasher.js';
import { MAX_PASSWORD_BYTES } from '../contract/settings.js';
import { AuthException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import type { ActiveUserStore } from '../users/active.user-store.js';
import { PasswordHashing } from './password.hashing.js';

const hasherOf = (password: object) =>
  new PasswordHashing(
    kitAuthOptions.resolve({ password: { cost: 10, ...password } }).settings,
    {} as Ports,
    {} as ActiveUserStore,
  );
const hasher = hasherOf({});

describe('PasswordHashing', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('verifies what it hashed, byte for byte', async () => {
    const hash = await hasher.hash('pa\u00dfword ');
    expect(await hasher.verify('pa\u00dfword ', hash)).toBe(true);
    for (const other of ['pa\u00dfword', 'PA\u00dfWORD ', 'password ', '', 'pa\u00dfword \0']) {
      expect(await hasher.verify(other, hash)).toBe(false);
    }
  });

  it('verifies $2a$ and $2y$ hashes of other systems', async () => {
    const hash = await bcrypt.hash('secret', 10);
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      expect(await hasher.verify('secret', hash.replace('$2b$', version))).toBe(true);
    }
  });

  it('never verifies what bcrypt would cut or alter', async () => {
    expect(hasher.maxBytes).toBe(MAX_PASSWORD_BYTES);
    const hash = await bcrypt.hash('a'.repeat(72), 10);
    expect(await hasher.verify('a'.repeat(72), hash)).toBe(true);
    expect(await hasher.verify('a'.repeat(73), hash)).toBe(false);
    expect(await hasher.verify('\u00e9'.repeat(37), hash)).toBe(false);
    const replaced = await bcrypt.hash('\ufffd', 10);
    expect(await hasher.verify('\ud800', replaced)).toBe(false);
    expect(await hasher.verify('\ufffd', replaced)).toBe(true);
  });

  it('verifies nothing against other texts', async () => {
    const almost = ['$2b$10$short', '$2x$10$' + 'a'.repeat(53), '$2b$10$' + '.'.repeat(53)];
    for (const stored of [undefined, '', 'plain', '$argon2id$v=19$x', ...almost]) {
      expect(await hasher.verify('', stored)).toBe(false);
    }
  });

  it('warns once of a stored hash that is not of bcrypt', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const other = hasherOf({});
    await other.verify('secret', '');
    expect(warn).not.toHaveBeenCalled();
    await other.verify('secret', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA');
    await other.verify('secret', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('PASSWORD_HASHER')]]);
    warn.mockRestore();
  });

  it('knows hashes that are cheaper than the configured cost', async () => {
    const hash = await bcrypt.hash('x', 10);
    expect(hasher.isOutdated(hash)).toBe(false);
    expect(hasherOf({ cost: 11 }).isOutdated(hash)).toBe(true);
    expect(hasher.isOutdated(hash.replace('$10$', '$12$'))).toBe(false);
    expect(hasher.isOutdated('$argon2id$')).toBe(true);
  });

  it('runs so many at once, lets so many wait, and turns the rest away with a time to come back', async () => {
    const small = hasherOf({ concurrency: 1, queue: 2 });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => small.hash('x')));
    const statuses = [...Array(3).fill('fulfilled'), ...Array(3).fill('rejected')];
    expect(outcomes.map(({ status }) => status)).toEqual(statuses);
    const [, , , refused] = outcomes as PromiseRejectedResult[];
    expect(refused!.reason).toBeInstanceOf(AuthException);
    expect(refused!.reason).toMatchObject({ code: 50300 });
    expect(refused!.reason.retryAfter).toBeGreaterThanOrEqual(1);
    await expect(small.hash('x')).resolves.toMatch(/^\$2b\$10\$/);
  });
});

describe('PasswordHashing with the hasher of the application', () => {
  const log: string[] = [];
  const own: PasswordHasher = {
    hash: async (password) => `hash of ${password}`,
    verify: async (password, storedHash) => storedHash === `hash of ${password}`,
    isOutdated: (storedHash) => storedHash === 'old',
    dummy: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('dummy');
    },
  };
  const over = (members: Partial<PasswordHasher> = {}, users: object = {}) =>
    new PasswordHashing(
      kitAuthOptions.resolve({ password: { concurrency: 1 } }).settings,
      { hasher: { ...own, ...members } } as Ports,
      users as ActiveUserStore,
    );

  beforeEach(() => {
    log.length = 0;
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('hashes and compares with it', async () => {
    const hashing = over();
    expect(await hashing.hash('x')).toBe('hash of x');
    expect(await hashing.verify('x', 'hash of x')).toBe(true);
    expect(await hashing.verify('x', 'hash of y')).toBe(false);
    expect([hashing.isOutdated('old'), hashing.isOutdated('new')]).toEqual([true, false]);
    expect(log).toEqual([]);
  });

  it('takes the time of a comparison for an unknown user', async () => {
    expect(await over().verify('x', undefined)).toBe(false);
    expect(log).toEqual(['dummy']);
  });

  it('has the limit of the hasher, if it has any', async () => {
    const [limited, unlimited] = [over({ maxBytes: 3 }), over()];
    expect([limited.maxBytes, unlimited.maxBytes]).toEqual([3, Infinity]);
    const fits = ['abc', 'abcd', '\u00e4\u00e4'].map((password) => limited.canVerify(password));
    expect(fits).toEqual([true, false, false]);
    expect(unlimited.canVerify('a'.repeat(5000))).toBe(true);
    expect(await limited.verify('abcd', undefined)).toBe(false);
    expect(log).toEqual([]);
  });

  it('says on the diagnostics channel what is hashed, and how long it has waited', async () => {
    let now = 500;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const hashing = over({
      hash: async () => {
        now += 3000;
        return 'x';
      },
    });
    const heard = await published('tracing:kit-auth:hash:start', () =>
      Promise.all([hashing.hash('x'), hashing.verify('x', 'y')]),
    );
    expect(heard).toEqual([
      { operation: 'hash', waited: 0, outcome: 'succeeded' },
      { operation: 'verify', waited: 3, outcome: 'succeeded' },
    ]);
  });

  describe('learns the slowest stored hash', () => {
    const warn = jest.fn<(line: string) => void>();

    beforeEach(() => {
      warn.mockClear();
      Logger.overrideLogger({ warn, log: warn, error: warn });
    });
    afterEach(() => Logger.overrideLogger(false));

    it('where there is one, and the hasher wants to know', async () => {
      const expected: string[] = [];
      const expecting = { expect: (hash: string) => void expected.push(hash) };
      const learn = (members: Partial<PasswordHasher>, hash: string | undefined) =>
        over(members, { slowestHash: async () => hash }).learnSlowestHash(Promise.resolve());
      await learn(expecting, 'slow');
      await learn(expecting, undefined);
      await learn({}, 'slow');
      expect(expected).toStrictEqual(['slow']);
      expect(warn).not.toHaveBeenCalled();
    });

    it('or warns, unless the seeding has failed as well', async () => {
      const failing = over({}, { slowestHash: () => Promise.reject(new Error('locked')) });
      await failing.learnSlowestHash(Promise.reject(new Error('locked')));
      expect(warn).not.toHaveBeenCalled();
      let seeded: () => void = () => undefined;
      let isDone = false;
      const learnt = failing
        .learnSlowestHash(new Promise<void>((resolve) => (seeded = resolve)))
        .then(() => (isDone = true));
      await new Promise((resolve) => setImmediate(resolve));
      expect(isDone).toBe(false);
      expect(warn).not.toHaveBeenCalled();
      seeded();
      await learnt;
      expect(warn.mock.calls.map(([line]) => line)).toEqual([
        '[auth] the cost of password hashes could not be read: Error: locked',
      ]);
    });
  });
});
