import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import * as argon2 from 'argon2';
import type { PasswordHasher } from 'kit-auth';

const ARGON2_HASH = /^\$argon2id\$v=19\$[mtp=,\d]+\$[\w+/]+\$[\w+/]+$/;
/** Of the years before: the salt and a key of 32 bytes, in hexadecimal. */
const SCRYPT_HASH = /^([0-9a-f]+)\.([0-9a-f]{64})$/;

/** The recommendation of OWASP. 19 MiB are used for each hash that is computed at the same time. */
const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

const deriveKey = promisify<string, string, number, Buffer>(scrypt);

/** Hashes with argon2id, and verifies the scrypt hashes of earlier years, which are renewed at login. */
@Injectable()
export class Argon2Hasher implements PasswordHasher {
  readonly maxBytes = 1024;
  /** No password has this hash. */
  private readonly dummyHash = argon2.hash(randomBytes(32), COST);

  hash(password: string): Promise<string> {
    return argon2.hash(password, COST);
  }

  /** A wrong password takes the time of both algorithms, whichever the hash is of. */
  async verify(password: string, storedHash: string): Promise<boolean> {
    if (ARGON2_HASH.test(storedHash)) {
      const isRight = await argon2.verify(storedHash, password);
      return isRight || this.refuse(password, { argon2: false });
    }
    const [, salt, key] = SCRYPT_HASH.exec(storedHash) ?? [];
    if (salt === undefined || key === undefined) {
      return this.refuse(password);
    }
    const isRight = timingSafeEqual(await deriveKey(password, salt, 32), Buffer.from(key, 'hex'));
    return isRight || this.refuse(password, { scrypt: false });
  }

  isOutdated(storedHash: string): boolean {
    return !ARGON2_HASH.test(storedHash) || argon2.needsRehash(storedHash, COST);
  }

  async dummy(password: string): Promise<void> {
    await this.refuse(password);
  }

  private async refuse(password: string, still = {}): Promise<false> {
    const work = { argon2: true, scrypt: true, ...still };
    if (work.argon2) {
      await argon2.verify(await this.dummyHash, password);
    }
    if (work.scrypt) {
      await deriveKey(password, 'salt', 32);
    }
    return false;
  }
}
