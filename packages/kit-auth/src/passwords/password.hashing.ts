import { Inject, Injectable, Logger } from '@nestjs/common';
import { type HashTurn, OWN_TURN } from '../contract/hash-turn.js';
import type { PasswordHasher } from '../contract/password-hasher.js';
import {
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  MAX_PASSWORD_BYTES,
  MAX_PASSWORD_COST,
} from '../contract/settings.js';
import { hashes } from '../diagnostics/channels.js';
import type { AuthHashMessage } from '../diagnostics/messages.js';
import { describeError } from '../errors/describe.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { HashQueue } from './hash.queue.js';

/**
 * Hashes passwords with the hasher of the application, by default bcrypt. `hash` and `verify` reject with 50300
 * `AUTH_UNAVAILABLE` and `Retry-After` when the queue (`kit.auth.password.queue`) is full.
 */
@Injectable()
export class PasswordHashing {
  private readonly logger = new Logger('KitAuth');
  private readonly queue: HashQueue;
  private readonly bcrypt: BcryptHasher;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) { password }: KitAuthSettings,
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {
    const { concurrency, queue, cost } = password;
    this.queue = new HashQueue(concurrency, queue);
    this.bcrypt = new BcryptHasher(cost);
  }

  /**
   * Called at start-up. Looks up the slowest stored hash. Logins of unknown users have to take as long, so that their
   * time does not reveal which accounts exist. A slower hash that is stored later counts once it has been verified.
   *
   * @param seeding what happens at the same time. If it fails, its error is enough: the warning would be about the same
   */
  async learnSlowestHash(seeding: Promise<unknown>): Promise<void> {
    try {
      // This may read the whole table. It must not delay the start of an application with very many users.
      const hash = await this.users.slowestHash();
      if (hash !== undefined) {
        this.hasher.expect?.(hash);
      }
    } catch (error) {
      await seeding.then(
        () =>
          this.logger.warn(`[auth] the cost of password hashes could not be read: ${describeError(error)}`),
        () => undefined,
      );
    }
  }

  /** The maximum length of a password, in bytes of UTF-8. */
  get maxBytes(): number {
    return this.hasher.maxBytes ?? Infinity;
  }

  /** False for a password that the hasher would truncate or alter. Such a password never matches. */
  canVerify(password: string): boolean {
    return Buffer.byteLength(password) <= this.maxBytes && password.isWellFormed();
  }

  async hash(password: string, turn: HashTurn = OWN_TURN): Promise<string> {
    return this.inTurn('hash', turn, () => this.hasher.hash(password));
  }

  /**
   * Whether a password matches a stored hash. A wrong password takes the same time for every hash, and for an unknown
   * user or an account without a password (`undefined` or empty). A password that can never match is answered at once.
   */
  async verify(
    password: string,
    storedHash: string | undefined,
    turn: HashTurn = OWN_TURN,
  ): Promise<boolean> {
    if (!this.canVerify(password)) {
      return false;
    }
    return this.inTurn('verify', turn, async () => {
      if (storedHash === undefined || storedHash === '') {
        await this.hasher.dummy(password);
        return false;
      }
      return this.hasher.verify(password, storedHash);
    });
  }

  /** Whether a hash that was just verified should be replaced. */
  isOutdated(storedHash: string): boolean {
    return this.hasher.isOutdated(storedHash);
  }

  private get hasher(): PasswordHasher {
    return this.ports.hasher ?? this.bcrypt;
  }

  private inTurn<T>(
    operation: AuthHashMessage['operation'],
    turn: HashTurn,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!hashes.isObserved) {
      return this.queue.run(turn, work);
    }
    const message: AuthHashMessage = { operation };
    const queued = performance.now();
    return hashes.run(message, () =>
      this.queue.run(turn, () => {
        message.waited = (performance.now() - queued) / 1000;
        return work();
      }),
    );
  }
}

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
      await this.padTime(password, cost);
    }
    return matches;
  }

  async dummy(password: string): Promise<void> {
    const { compare } = await bcrypt();
    await compare(password, dummyHash(this.cost));
    await this.padTime(password, this.cost);
  }

  isOutdated(storedHash: string): boolean {
    return (costOf(storedHash) ?? 0) < this.cost;
  }

  /** Some applications store an empty string for accounts without a password. */
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
  private async padTime(password: string, from: number): Promise<void> {
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

/** @returns undefined for a string that is not a bcrypt hash */
function costOf(storedHash: string): number | undefined {
  const [, digits] = BCRYPT_HASH.exec(storedHash) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** A well-formed hash that no known password has. */
function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
