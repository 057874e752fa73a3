import { Inject, Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { MAX_PASSWORD_BYTES } from '../config/option-table.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';

const BCRYPT_HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * bcrypt with a bound on how many hashes run and wait. Each method rejects with 50300 `AUTH_UNAVAILABLE` and
 * `Retry-After` when the queue (`kit.auth.password.queue`) is full.
 */
@Injectable()
export class PasswordHasher {
  private readonly limit: ReturnType<typeof pLimit>;
  private lastDurationMs = 0;

  constructor(@Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings) {
    this.limit = pLimit(settings.password.concurrency);
  }

  async hash(password: string): Promise<string> {
    return this.enqueue(() => bcrypt.hash(password, this.settings.password.cost));
  }

  /**
   * Whether a password belongs to a stored hash. A password that is wrong takes the time of a hash at the
   * configured cost, whatever is stored: a cheaper hash, none that bcrypt understands, or no user at all
   * (`undefined`). A password that bcrypt would cut or alter never verifies; that depends on the caller's own
   * input alone and is answered at once.
   */
  async verify(password: string, storedHash: string | undefined): Promise<boolean> {
    if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES || !password.isWellFormed()) {
      return false;
    }
    const usable = storedHash !== undefined && BCRYPT_HASH.test(storedHash);
    const hash = usable ? storedHash.replace(/^\$2y/, '$2b') : dummyHash(this.settings.password.cost);
    return this.enqueue(async () => {
      const matches = await bcrypt.compare(password, hash);
      if (matches) {
        return usable;
      }
      // Costs are powers of two: cost c plus one hash each of c, c+1 ... d-1 takes as long as one of d.
      for (let cost = bcrypt.getRounds(hash); cost < this.settings.password.cost; cost++) {
        await bcrypt.compare(password, dummyHash(cost));
      }
      return false;
    });
  }

  /** Whether a hash that just verified is cheaper than the configured cost. */
  isOutdated(storedHash: string): boolean {
    return Number(BCRYPT_HASH.exec(storedHash)?.[1]) < this.settings.password.cost;
  }

  private async enqueue<T>(work: () => Promise<T>): Promise<T> {
    const { concurrency, queue } = this.settings.password;
    if (this.limit.activeCount + this.limit.pendingCount >= concurrency + queue) {
      const waitMs = (this.lastDurationMs * this.limit.pendingCount) / concurrency;
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, {
        retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
      });
    }
    return this.limit(async () => {
      const started = performance.now();
      const result = await work();
      this.lastDurationMs = performance.now() - started;
      return result;
    });
  }
}

/** Well-formed, and the hash of no known password. */
function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
