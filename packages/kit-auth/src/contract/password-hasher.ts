/**
 * Injection token of the password hash. Contribute one to replace bcrypt. With two, start-up fails with
 * `IllegalStateException`.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: PASSWORD_HASHER, useClass: Argon2Hasher }] })
 * export class Argon2Module {}
 * ```
 */
export const PASSWORD_HASHER = Symbol.for('kit-auth.password-hasher');

/**
 * Hashes and verifies passwords. The core limits how many calls run at once (`kit.auth.password.concurrency`), and
 * calls `dummy` for unknown users, so that the time of an answer does not reveal them.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class Argon2Hasher implements PasswordHasher {
 *   private readonly dummyHash = argon2.hash(randomBytes(32));
 *
 *   hash(password: string): Promise<string> {
 *     return argon2.hash(password);
 *   }
 *
 *   async verify(password: string, storedHash: string): Promise<boolean> {
 *     return storedHash.startsWith('$argon2') && argon2.verify(storedHash, password);
 *   }
 *
 *   isOutdated(storedHash: string): boolean {
 *     return argon2.needsRehash(storedHash);
 *   }
 *
 *   async dummy(password: string): Promise<void> {
 *     await argon2.verify(await this.dummyHash, password);
 *   }
 * }
 * ```
 */
export interface PasswordHasher {
  /** The most bytes of UTF-8 that a password may have. bcrypt ignores all bytes after 72. */
  readonly maxBytes?: number;
  hash(password: string): Promise<string>;
  /** @returns false for a wrong password and for a hash of an unknown form, in the time of a hash */
  verify(password: string, storedHash: string): Promise<boolean>;
  /** Whether a hash that was just verified should be replaced, for example because its cost is too low. */
  isOutdated(storedHash: string): boolean;
  /** Takes as long as `verify` with a wrong password. */
  dummy(password: string): Promise<void>;
  /** Learns the cost of a stored hash. From then on, `dummy` and wrong passwords take as long as the slowest one. */
  expect?(storedHash: string): void;
}
