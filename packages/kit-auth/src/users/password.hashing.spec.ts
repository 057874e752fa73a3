import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import { AuthException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import type { ActiveUserStore } from './active.user-store.js';
import { PasswordHashing } from './password.hashing.js';

const hasherOf = (password: object) =>
  new PasswordHashing(
    kitAuthOptions.resolve({ password: { cost: 10, ...password } }).settings,
    {} as Ports,
    {} as ActiveUserStore,
  );
const hasher = hasherOf({});

beforeAll(() => Logger.overrideLogger(false));

describe('PasswordHashing', () => {
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
    const hash = await bcrypt.hash('a'.repeat(72), 10);
    expect(await hasher.verify('a'.repeat(72), hash)).toBe(true);
    expect(await hasher.verify('a'.repeat(73), hash)).toBe(false);
    expect(await hasher.verify('\u00e9'.repeat(37), hash)).toBe(false);
    const replaced = await bcrypt.hash('\ufffd', 10);
    expect(await hasher.verify('\ud800', replaced)).toBe(false);
    expect(await hasher.verify('\ufffd', replaced)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'plain',
    '$2b$10$short',
    '$2x$10$' + 'a'.repeat(53),
    '$argon2id$v=19$x',
    '$2b$10$' + '.'.repeat(53),
  ])('verifies nothing against %j', async (stored) => expect(await hasher.verify('', stored)).toBe(false));

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
  });

  it('runs so many at once, lets so many wait, and turns the rest away with a time to come back', async () => {
    const small = hasherOf({ concurrency: 1, queue: 2 });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => small.hash('x')));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    const [, , , refused] = outcomes as PromiseRejectedResult[];
    expect(refused!.reason).toBeInstanceOf(AuthException);
    expect(refused!.reason).toMatchObject({ code: 50300 });
    expect(refused!.reason.retryAfter).toBeGreaterThanOrEqual(1);
    await expect(small.hash('x')).resolves.toMatch(/^\$2b\$10\$/);
  });
});
