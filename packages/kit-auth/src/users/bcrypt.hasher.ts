import { Logger } from '@nestjs/common';
import { MAX_PASSWORD_BYTES, MAX_PASSWORD_COST } from '../config/kit-auth.options.js';
import type { PasswordHasher } from '../contract/password-hasher.js';

const BCRYPT_HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** The default hasher. Rejecting a wrong password takes as long as a hash of the highest known cost. */
export class BcryptHasher implements PasswordHasher {
  readonly maxBytes = MAX_PASSWORD_BYTES;
  private readonly logger = new Logger('KitAuth');
  private hasWarned = false;
  private highestCost: number;

  /** @param cost the cost of new hashes */
  constructor(private readonly cost: number) {
    this.highestCost = cost;
  }

  /** Ignores costs that are higher than `kit.auth.password.cost` allows. */
  expect(storedHash: string): void {
    const cost = costOf(storedHash) ?? 0;
    if (cost <= MAX_PASSWORD_COST) {
      this.highestCost = Math.max(this.highestCost, cost);
    }
  }

  async hash(password: string): Promise<string> {
    const { hash } = await bcrypt();
    return hash(password, this.cost);
  }

  async verify(password: string, storedHash: string): Promise<boolean> {
    const cost = costOf(storedHash);
    if (cost === undefined) {
      this.warnOnce(storedHash);
      await this.dummy(password);
      return false;
    }
    this.expect(storedHash);
    const { compare } = await bcrypt();
    // Other systems write $2y$, which is the same as $2b$.
    const matches = await compare(password, storedHash.replace(/^\$2y/, '$2b'));
    if (!matches) {
      await this.fill(password, cost);
    }
    return matches;
  }

  async dummy(password: string): Promise<void> {
    const { compare } = await bcrypt();
    await compare(password, dummyHash(this.cost));
    await this.fill(password, this.cost);
  }

  isOutdated(storedHash: string): boolean {
    return (costOf(storedHash) ?? 0) < this.cost;
  }

  /** An empty text, as some applications store it, stands for no password. */
  private warnOnce(storedHash: string): void {
    if (storedHash !== '' && !this.hasWarned) {
      this.hasWarned = true;
      this.logger.warn(
        '[auth] a stored password hash is not of bcrypt, so no password matches it; ' +
          'for hashes of other algorithms, provide a PASSWORD_HASHER',
      );
    }
  }

  /**
   * Costs are powers of two: a hash of cost c, followed by one each of c, c+1 ... d-1, takes as long as one of cost d.
   */
  private async fill(password: string, from: number): Promise<void> {
    const { compare } = await bcrypt();
    for (let cost = from; cost < this.highestCost; cost++) {
      await compare(password, dummyHash(cost));
    }
  }
}

/** Loads bcrypt with the first password. */
async function bcrypt() {
  return (await import('bcrypt')).default;
}

/** @returns undefined for a text that is not a bcrypt hash */
function costOf(storedHash: string): number | undefined {
  const [, digits] = BCRYPT_HASH.exec(storedHash) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** A well-formed hash that no known password has. */
function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
