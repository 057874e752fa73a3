import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable, Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { PASSWORD_HASHER, type PasswordHasher } from 'kit-auth';

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** A recommendation of OWASP. `128 * r * 2 ** ln` bytes of memory: 32 MiB. */
const COST = { ln: 15, r: 8, p: 3 };
const PREFIX = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$`;
const SCRYPT_HASH = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]{22})\$([\w-]{43})$/;
/** Of the years before, with this cost. */
const BCRYPT_HASH = /^\$2[aby]\$/;
const DUMMY_BCRYPT_HASH = `$2b$12$${'.'.repeat(53)}`;

/** Hashes with scrypt, and verifies the bcrypt hashes of earlier years, which are renewed at login. */
@Injectable()
export class ScryptHasher implements PasswordHasher {
  readonly maxBytes = 1024;

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const key = await derive(password, salt, COST);
    return `${PREFIX}${salt.toString('base64url')}$${key.toString('base64url')}`;
  }

  /** A wrong password takes the time of both algorithms, whichever the hash is of. */
  async verify(password: string, storedHash: string): Promise<boolean> {
    if (BCRYPT_HASH.test(storedHash)) {
      const isRight = await bcrypt.compare(password, storedHash.replace(/^\$2y/, '$2b'));
      return isRight || rejectAfter(derive(password, Buffer.alloc(16), COST));
    }
    const [, ln, r, p, salt, key] = SCRYPT_HASH.exec(storedHash) ?? [];
    if (salt === undefined || key === undefined) {
      return rejectAfter(this.dummy(password));
    }
    const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
    const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
    const isRight = timingSafeEqual(derived, Buffer.from(key, 'base64url'));
    return isRight || rejectAfter(bcrypt.compare(password, DUMMY_BCRYPT_HASH));
  }

  isOutdated(storedHash: string): boolean {
    return !storedHash.startsWith(PREFIX);
  }

  async dummy(password: string): Promise<void> {
    await derive(password, Buffer.alloc(16), COST);
    await bcrypt.compare(password, DUMMY_BCRYPT_HASH);
  }
}

function derive(password: string, salt: Buffer, { ln, r, p }: typeof COST): Promise<Buffer> {
  return deriveKey(password, salt, 32, { N: 2 ** ln, r, p, maxmem: 256 * r * 2 ** ln });
}

async function rejectAfter(work: Promise<unknown>): Promise<false> {
  await work;
  return false;
}

@Module({ providers: [{ provide: PASSWORD_HASHER, useClass: ScryptHasher }] })
export class ScryptModule {}
