import { Inject, Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { MAX_PASSWORD_BYTES, MAX_PASSWORD_COST } from '../config/option-table.js';
import { type HashTurn, OWN_TURN } from '../contract/hash-turn.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { HashQueue } from './hash.queue.js';

const BCRYPT_HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/**
 * bcrypt with a bound on how many hashes run and wait. Each method rejects with 50300 `AUTH_UNAVAILABLE` and
 * `Retry-After` when the queue (`kit.auth.password.queue`) has no place.
 */
@Injectable()
export class PasswordHasher {
  private readonly queue: HashQueue;
  /** What a wrong password costs: the configured cost, or that of the dearest hash there is. */
  private highestCost: number;

  constructor(@Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings) {
    this.queue = new HashQueue(settings.password.concurrency, settings.password.queue);
    this.highestCost = settings.password.cost;
  }

  /**
   * Says that there is a hash of this cost. From then on a wrong password takes the time of such a hash, whosever it
   * is. Costs that `kit.auth.password.cost` does not take either are ignored.
   */
  expect(cost: number): void {
    if (cost <= MAX_PASSWORD_COST) {
      this.highestCost = Math.max(this.highestCost, cost);
    }
  }

  async hash(password: string, turn: HashTurn = OWN_TURN): Promise<string> {
    return this.queue.run(turn, () => bcrypt.hash(password, this.settings.password.cost));
  }

  /**
   * Whether a password belongs to a stored hash. A password that is wrong takes the time of a hash at the highest
   * cost, whatever is stored: a cheaper hash, none that bcrypt understands, or no user at all (`undefined`). A
   * password that can never verify is answered at once.
   */
  async verify(
    password: string,
    storedHash: string | undefined,
    turn: HashTurn = OWN_TURN,
  ): Promise<boolean> {
    if (!canVerify(password)) {
      return false;
    }
    const usable = storedHash !== undefined && BCRYPT_HASH.test(storedHash);
    const hash = usable ? storedHash.replace(/^\$2y/, '$2b') : dummyHash(this.settings.password.cost);
    this.expect(bcrypt.getRounds(hash));
    return this.queue.run(turn, async () => {
      const matches = await bcrypt.compare(password, hash);
      if (matches) {
        return usable;
      }
      // Costs are powers of two: cost c plus one hash each of c, c+1 ... d-1 takes as long as one of d.
      for (let cost = bcrypt.getRounds(hash); cost < this.highestCost; cost++) {
        await bcrypt.compare(password, dummyHash(cost));
      }
      return false;
    });
  }

  /** Whether a hash that just verified is cheaper than the configured cost. */
  isOutdated(storedHash: string): boolean {
    return Number(BCRYPT_HASH.exec(storedHash)?.[1]) < this.settings.password.cost;
  }
}

/** False for a password that bcrypt would cut or alter. */
export function canVerify(password: string): boolean {
  return Buffer.byteLength(password) <= MAX_PASSWORD_BYTES && password.isWellFormed();
}

/** Well-formed, and the hash of no known password. */
function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
