import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { PasswordHasher } from 'kit-auth';

const deriveKey = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);
/** Those of better-auth. A hash needs 32 MiB. */
const COST = { N: 16384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const HASH = /^([0-9a-f]{32}):([0-9a-f]{128})$/;

/** Reads and writes the password hashes of better-auth. */
@Injectable()
export class BetterAuthHasher implements PasswordHasher {
  readonly maxBytes = 1024;

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16).toString('hex');
    return `${salt}:${(await derive(password, salt)).toString('hex')}`;
  }

  async verify(password: string, storedHash: string): Promise<boolean> {
    const [, salt, key] = HASH.exec(storedHash) ?? [];
    if (salt === undefined || key === undefined) {
      await this.dummy(password);
      return false;
    }
    return timingSafeEqual(await derive(password, salt), Buffer.from(key, 'hex'));
  }

  isOutdated(): boolean {
    return false;
  }

  async dummy(password: string): Promise<void> {
    await derive(password, 'salt');
  }
}

function derive(password: string, salt: string): Promise<Buffer> {
  return deriveKey(password.normalize('NFKC'), salt, 64, COST);
}
