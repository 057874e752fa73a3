import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import type { PasswordHasher } from 'kit-auth';

/** That of Lucia's guides. A hash needs 19 MiB. */
const COST = { memoryCost: 19456, timeCost: 2, outputLen: 32, parallelism: 1 };
const HASH = /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/;

/** Reads and writes password hashes as the guides of Lucia do. */
@Injectable()
export class LuciaHasher implements PasswordHasher {
  readonly maxBytes = 1024;
  /** No password has this hash. */
  private readonly dummyHash = hash(randomBytes(32), COST);

  hash(password: string): Promise<string> {
    return hash(password, COST);
  }

  async verify(password: string, storedHash: string): Promise<boolean> {
    if (!HASH.test(storedHash)) {
      await this.dummy(password);
      return false;
    }
    return verify(storedHash, password);
  }

  isOutdated(): boolean {
    return false;
  }

  async dummy(password: string): Promise<void> {
    await verify(await this.dummyHash, password);
  }
}
