import { inspect } from 'node:util';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { LoginUser } from '../contract/login-user.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import type { UserId } from '../contract/user-id.js';
import {
  type AccountChange,
  AUTH_USER_STORE,
  type AuthUserStore,
  type Grants,
  type ListedUser,
  type NewPassword,
  type NewUser,
  type NewUsername,
  type StoredUser,
  type UserPage,
} from '../contract/user-store.js';
import { storeCalls } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import {
  AuthException,
  conflict,
  invalidToken,
  IllegalStateException,
  TooBusyException,
  unavailable,
  UnstoredEventException,
} from '../errors/auth.exception.js';
import { withinDeadline } from '../errors/deadline.js';
import { describeError, kindOf, stackOf } from '../errors/describe.js';
import { attempting, failureOf } from '../ports/port.js';
import { Ports } from '../ports/ports.js';
import { parseAddress } from './address.js';
import { accountProblem, copyOf, formProblem, idProblem } from './stored-users.js';

/** The methods that a store may omit. */
export type OptionalMethod = Exclude<keyof AuthUserStore, 'idType' | 'loadLoginUser'>;

/** Serializes changes of one user, for user stores without transactions. */
export interface UserLock {
  /** Runs work in a transaction that holds the lock. Reads and writes of packages in the same data source join it. */
  exclusively<T>(userId: UserId, work: () => Promise<T>): Promise<T>;
}

/**
 * The user store of the application. The methods that a login uses reject with 50300 when the database does not answer
 * within `kit.auth.login.databaseTimeoutMs`.
 */
@Injectable()
export class ActiveUserStore implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');
  private store: AuthUserStore | undefined;
  private lock: UserLock | undefined;
  private hasToldOfMissingHash = false;

  constructor(
    private readonly ports: Ports,
    private readonly events: AuthEvents,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException when there is no store, or more than one, or its `idType` does not exist */
  onModuleInit(): void {
    if (!this.settings.enabled) {
      return;
    }
    if (!['number', 'string'].includes(this.idType)) {
      throw new IllegalStateException(
        `The idType of the user store ${this.get().constructor.name} is ${inspect(this.idType)}. ` +
          "It must be 'number' or 'string'.",
      );
    }
    if (this.has('requestUser')) {
      this.ports.loadRequestUser = (user) => this.requestUser(user);
    }
  }

  get(): AuthUserStore {
    this.store ??= this.ports.only<AuthUserStore>(AUTH_USER_STORE, 'AuthUserStore', ['loadLoginUser']);
    if (this.store === undefined) {
      throw new IllegalStateException(
        'No user store was found. Import KitAuthModule.forRoot(), which brings one for TypeORM. If you pass ' +
          'KitAuthModule.forRoot({ users: MyUsersModule }), that module has to provide AUTH_USER_STORE.',
      );
    }
    return this.store;
  }

  /** The type of the ids. */
  get idType(): 'number' | 'string' {
    return this.get().idType ?? 'number';
  }

  /** Converts an id from a column or a URL. Returns undefined for a string that is not a valid id. */
  idFrom(text: string): UserId | undefined {
    const id = this.idType === 'string' ? text : Number(text);
    return String(id) === text && idProblem(id, this.idType) === undefined ? (id as UserId) : undefined;
  }

  /** @throws IllegalStateException for an id that no token can carry, or that is not of the type of the store */
  requireId(id: unknown): void {
    const problem = idProblem(id, this.idType);
    if (problem !== undefined) {
      throw new IllegalStateException(`${this.get().constructor.name} returned a user ${problem}`);
    }
  }

  has(method: OptionalMethod): boolean {
    return typeof this.get()[method] === 'function';
  }

  /**
   * Requires optional methods of the store for a feature. Call this from `onModuleInit`.
   *
   * @param feature named in the message, for example `kit.auth.jwt.checkStamp`
   * @throws IllegalStateException that names the missing methods
   */
  require(feature: string, ...methods: OptionalMethod[]): void {
    const missing = methods.filter((method) => !this.has(method));
    if (missing.length > 0) {
      const name = this.get().constructor.name;
      throw new IllegalStateException(
        `${feature} needs a user store with the method ${missing.join(', ')}, which ${name} lacks.`,
      );
    }
  }

  /** @throws AuthException 50300 for an account without a valid `enabled` */
  async findByUsername(username: string): Promise<StoredUser | undefined> {
    const account =
      (await this.ask('findByUsername', async () => this.get().findByUsername?.(username))) ?? undefined;
    const problem = account && accountProblem(account);
    if (problem !== undefined) {
      throw this.broken(`an account ${problem}`);
    }
    if (account !== undefined && (account.passwordHash ?? undefined) === undefined) {
      this.tellOfMissingHash();
    }
    return account;
  }

  /** The username of an account. Without `usernameOf` of the store, undefined for one that is not enabled. */
  async usernameOf(userId: UserId): Promise<string | undefined> {
    return this.has('usernameOf')
      ? ((await this.ask('usernameOf', async () => this.get().usernameOf?.(userId))) ?? undefined)
      : (await this.loadLoginUser(userId))?.username;
  }

  /**
   * Whether an account other than this one has a username, or one that people would take for it.
   *
   * @param change if given, look in its transaction, if the store can
   */
  async isUsernameTaken(
    username: string,
    exceptId: UserId | undefined,
    change?: Pick<AccountChange, 'transaction'>,
  ): Promise<boolean> {
    if (this.has('isUsernameTaken')) {
      return this.outcome(this.get().isUsernameTaken?.(username, exceptId, change));
    }
    const other = this.has('findByUsername') ? await this.findByUsername(username) : undefined;
    return other !== undefined && other.id !== exceptId;
  }

  /**
   * Refuses the verified address of another account as a username: a login with it would mean the owner of the address.
   * `createUser()` and `changeUsername()` call this.
   *
   * @throws AuthException 40900
   */
  async requireOwnAddress(
    username: string,
    userId: UserId | undefined,
    change: AccountChange,
  ): Promise<void> {
    const { addresses } = this.ports;
    const key = addresses && parseAddress(username.trim())?.key;
    const owner = key === undefined ? undefined : await addresses?.ownerOf(key, change);
    if (owner?.verified === true && owner.userId !== userId) {
      throw conflict('The username is taken');
    }
  }

  /** Whether a user can log in with a password. */
  async hasPassword({ username }: Pick<LoginUser, 'username'>): Promise<boolean> {
    return this.has('findByUsername') && Boolean((await this.findByUsername(username))?.passwordHash);
  }

  /**
   * @returns a copy, because a request freezes its user, and the lists may belong to an entity of the application.
   * Undefined when the user is unknown or not enabled
   * @throws AuthException 50300 for a user of the wrong form, and for another user than the one that was asked for
   */
  async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    const user = (await this.ask('loadLoginUser', () => this.get().loadLoginUser(userId))) ?? undefined;
    if (user === undefined) {
      return undefined;
    }
    const problem = formProblem(user) ?? idProblem(user.userId, this.idType);
    if (problem !== undefined) {
      throw this.broken(`a user ${problem}`);
    }
    if (user.userId !== userId && !isSameText(user.userId, userId)) {
      throw this.broken(`the user ${user.userId} when it was asked for ${userId}`);
    }
    return user.userId === userId ? copyOf(user) : undefined;
  }

  private async requestUser(user: LoginUser): Promise<object> {
    const found: unknown =
      (await this.ask('requestUser', async () => this.get().requestUser?.(user.userId, user))) ?? undefined;
    if (found === undefined) {
      throw invalidToken('disabled');
    }
    if (typeof found !== 'object') {
      throw this.broken(`${kindOf(found)} from requestUser(), not an object`);
    }
    return found as object;
  }

  /**
   * @param change locks the user until its transaction ends
   * @returns undefined when the user is unknown or not enabled, or the store has no stamps
   */
  async stampOf(userId: UserId, change?: AccountChange): Promise<string | undefined> {
    if (change !== undefined) {
      return (await this.get().stampOf?.(userId, change)) ?? undefined;
    }
    return (await this.ask('stampOf', async () => this.get().stampOf?.(userId))) ?? undefined;
  }

  /**
   * Makes other changes of a user wait until this one is over. Call it before other writes of the change, as all changes of users
   * begin with the user: another order could deadlock.
   */
  async lockUser(userId: UserId, change: AccountChange): Promise<void> {
    await this.stampOf(userId, change);
  }

  /** Does nothing if the store cannot renew stamps. */
  async renewStamp(userId: UserId, change: AccountChange): Promise<void> {
    await this.get().renewStamp?.(userId, change);
  }

  /** @returns false when the user has another stamp by now */
  async noteLogin(userId: UserId, seenStamp: string): Promise<boolean> {
    return (
      !this.has('noteLogin') ||
      this.ask('noteLogin', async () => this.outcome(this.get().noteLogin?.(userId, seenStamp)))
    );
  }

  /** A stored hash that takes longest to verify. Undefined when the store cannot look it up; rejects on a timeout. */
  async slowestHash(): Promise<string | undefined> {
    return this.inTime(async () => this.get().slowestHash?.());
  }

  async renewHash(userId: UserId, from: string, to: string): Promise<void> {
    await this.inTime(async () => this.get().renewHash?.(userId, from, to));
  }

  /** @returns false when the user has another stamp by now, or the store has no `changePassword` */
  async changePassword(userId: UserId, update: NewPassword, change: AccountChange): Promise<boolean> {
    return this.has('changePassword') && this.outcome(this.get().changePassword?.(userId, update, change));
  }

  /** @throws AuthException 40900 when the username is taken, also by an insert at the same time */
  async createUser(user: NewUser, change: AccountChange): Promise<UserId> {
    await this.requireOwnAddress(user.username, undefined, change);
    const id = await this.unlessTaken(user.username, undefined, async () =>
      this.get().createUser?.(user, change),
    );
    this.requireId(id);
    return id as UserId;
  }

  /**
   * @returns false when the user has another stamp by now, or the store has no `changeUsername`
   * @throws AuthException 40900 when the username is taken
   */
  async changeUsername(userId: UserId, update: NewUsername, change: AccountChange): Promise<boolean> {
    if (!this.has('changeUsername')) {
      return false;
    }
    await this.requireOwnAddress(update.username, userId, change);
    return this.unlessTaken(update.username, userId, () =>
      this.outcome(this.get().changeUsername?.(userId, update, change)),
    );
  }

  /** @returns an empty list if the store cannot list users */
  async listUsers(page: UserPage): Promise<readonly ListedUser[]> {
    return (await this.ask('listUsers', async () => this.get().listUsers?.(page))) ?? [];
  }

  /** @returns false when the user is unknown or disabled, or the store has no `disableUser` */
  async disableUser(userId: UserId, change: AccountChange): Promise<boolean> {
    return this.has('disableUser') && this.outcome(this.get().disableUser?.(userId, change));
  }

  /** @returns false when the user is unknown or enabled, or the store has no `enableUser` */
  async enableUser(userId: UserId, change: AccountChange): Promise<boolean> {
    return this.has('enableUser') && this.outcome(this.get().enableUser?.(userId, change));
  }

  /** @returns undefined when one of the roles does not exist. No roles grant nothing; the store is not asked */
  async grantsOf(roles: readonly string[], change?: AccountChange): Promise<Grants | undefined> {
    if (roles.length === 0) {
      return { superAdmin: false, permissions: [] };
    }
    return (await this.get().grantsOf?.(roles, change)) ?? undefined;
  }

  /**
   * Runs a change with its events, in a transaction if the store supports them. Without one, the events are stored after
   * the change, before this resolves: sinks end API keys, for example.
   *
   * @throws AuthException 50300 when an event cannot be stored, and when the store resolves without having run the change
   * @throws UnstoredEventException without a transaction, after the change was made
   */
  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const store = this.get();
    if (store.transaction === undefined) {
      return this.withoutTransaction(action, work);
    }
    // The store may run the work again, for example after a deadlock.
    const done: { result: T }[] = [];
    await store.transaction(action, async (change) => {
      done.length = 0;
      const result = await work(change);
      done.push({ result });
      return result;
    });
    const [last] = done;
    if (last === undefined) {
      const error = new TypeError('it resolved, but the work that it was given has not succeeded');
      throw failureOf(error, `transaction() of ${store.constructor.name}`);
    }
    return last.result;
  }

  /** Sets the lock of `changing()`. Packages that keep one-time tokens bring it. */
  useLock(lock: UserLock): void {
    this.lock = lock;
  }

  /** `transaction()` for a change of one user. Without transactions, such changes of the same user follow one another. */
  changing<T>(action: AuthAction, userId: UserId, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const { lock } = this;
    return lock === undefined || this.has('transaction')
      ? this.transaction(action, work)
      : this.withoutTransaction(action, work, (run) => lock.exclusively(userId, run));
  }

  private async withoutTransaction<T>(
    action: AuthAction,
    work: (change: AccountChange) => Promise<T>,
    within: (run: () => Promise<T>) => Promise<T> = (run) => run(),
  ): Promise<T> {
    const noted: NotedEvent[] = [];
    const note = async (event: NotedEvent) => void noted.push(event);
    const result = await within(() => action.run(() => work({ transaction: undefined, note })));
    const failures: unknown[] = [];
    for (const event of noted) {
      try {
        this.events.emit(await attempting('an event sink', () => action.keep(event, undefined)));
      } catch (error) {
        failures.push(error);
        action.note({ ...event, kept: false }); // The change is made, so listeners must get the event.
      }
    }
    if (failures.length > 0) {
      throw new UnstoredEventException(result, failures[0]);
    }
    return result;
  }

  /**
   * Determines why a write has failed: the unique index refuses a name that another request has inserted in the
   * meantime. The lookup is not part of the transaction, which PostgreSQL aborts after a failure.
   *
   * @param userId the user who may already have the name
   */
  private async unlessTaken<T>(
    username: string,
    userId: UserId | undefined,
    write: () => Promise<T>,
  ): Promise<T> {
    try {
      return await write();
    } catch (cause) {
      const look = () => this.findByUsername(username).catch(() => undefined);
      const other = cause instanceof AuthException ? undefined : await look();
      if (other === undefined || other.id === userId) {
        throw cause;
      }
      throw conflict('The username is taken', cause);
    }
  }

  /** The result of a change. @throws TypeError unless it is a boolean */
  private async outcome(answer: Promise<boolean> | undefined): Promise<boolean> {
    const outcome: unknown = await answer;
    if (typeof outcome !== 'boolean') {
      throw new TypeError(`${this.get().constructor.name} returned ${kindOf(outcome)}, not true or false`);
    }
    return outcome;
  }

  /** @param what the store returned */
  private broken(what: string): AuthException {
    const cause = new IllegalStateException(`${this.get().constructor.name} returned ${what}`);
    this.logger.error(`[auth] ${cause.message}`);
    return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { cause });
  }

  /** An ORM may leave the column out of an entity, which looks like an account without a password. */
  private tellOfMissingHash(): void {
    if (!this.hasToldOfMissingHash) {
      this.hasToldOfMissingHash = true;
      this.logger.debug(
        `[auth] ${this.get().constructor.name} returned an account without a passwordHash, so no password matches ` +
          'it. If the account has one, the store does not load that column.',
      );
    }
  }

  private ask<T>(operation: keyof AuthUserStore, question: () => Promise<T>): Promise<T> {
    return storeCalls.isObserved
      ? storeCalls.run({ store: 'users', operation }, () => this.answer(question))
      : this.answer(question);
  }

  private inTime<T>(question: () => Promise<T>): Promise<T> {
    return withinDeadline(this.settings.login.databaseTimeoutMs, question());
  }

  private async answer<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await this.inTime(question);
    } catch (cause) {
      if (cause instanceof TooBusyException) {
        throw cause;
      }
      const name = this.get().constructor.name;
      this.logger.error(`[auth] the user store ${name} failed: ${describeError(cause)}`, ...stackOf(cause));
      throw unavailable(cause);
    }
  }
}

/** Some databases ignore case when they look for an id. */
function isSameText(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && a.toLowerCase() === b.toLowerCase();
}
