import { hash } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../../contract/settings.js';
import type { UserId } from '../../contract/user-id.js';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../../errors/auth.exception.js';
import { PeriodicCleaner } from '../../tools/periodic.cleaner.js';
import { ownerOf } from '../../tools/stored-login.js';
import { ActiveUserStore, type UserLock } from '../../users/active.user-store.js';
import { PackageDatabase } from '../../typeorm/database/package-database.js';
import type { AuthOneTime } from './auth-one-time.entity.js';
import {
  columnsOf,
  idOf,
  isId,
  type IssuedToken,
  type NewOneTimeToken,
  newToken,
  type OneTimeToken,
  type OneTimeTokenFilter,
  type PeekedToken,
  requirePurpose,
  tokenOf,
} from './one-time-token.js';
import { ONE_TIME_TABLES } from './one-time.migrations.js';
import { OneTimeRows, type TextColumns } from './one-time.rows.js';

/** With the link of a mail. */
const MAX_ATTEMPTS = 20;

/**
 * Issues tokens that work once, and claims them. Methods reject with 50300 when the database does not answer.
 *
 * Instead of a token, they accept one of `list()`, itself and not a copy: for users who show something else, such as a code
 * whose hash is in the data.
 *
 * @example
 * const { token, expiresAt } = await this.tokens.issue({ purpose: 'download', userId, ttlSeconds: 3600 });
 *
 * // With the token of a request: peek before anything slow, claim as the last check before the first write.
 * const { userId, stamp } = await this.tokens.peek('download', token);
 * await this.users.transaction(action, async (change) => {
 *   await this.tokens.claim('download', token, change.transaction);
 *   await this.downloads.start(userId, change);
 * });
 */
@Injectable()
export class OneTimeTokens implements UserLock, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cleaner = new PeriodicCleaner('old one-time tokens', () => this.rows.prune(Date.now()));
  private readonly database: PackageDatabase;
  private readonly rows: OneTimeRows;
  /** Tokens that `list()` returned. An object from a client, which may know the id, is not among them. */
  private readonly listed = new WeakSet<object>();

  constructor(
    private readonly users: ActiveUserStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('one-time tokens', ONE_TIME_TABLES, dataSource);
    this.rows = new OneTimeRows(this.database);
  }

  /** @throws IllegalStateException when the data source or the table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.settings.enabled) {
      return;
    }
    await this.database.open();
    this.cleaner.start();
  }

  onApplicationShutdown(): void {
    this.cleaner.stop();
  }

  /**
   * Issues a token. The user must exist. Only the default user store sees a user that the transaction has just inserted.
   *
   * @param transaction of a change, for example `AccountChange.transaction`
   * @throws AuthException 40400 when the user is unknown or not enabled
   * @throws IllegalStateException for data of more than 2 KB, and other values that the table cannot keep
   */
  async issue(wanted: NewOneTimeToken, transaction?: unknown): Promise<IssuedToken> {
    const columns = columnsOf(wanted, Date.now());
    const stamp =
      wanted.userId === undefined ? undefined : (wanted.stamp ?? (await this.users.stampOf(wanted.userId)));
    if (wanted.userId !== undefined && stamp === undefined) {
      throw new AuthException(AuthErrorCode.NOT_FOUND, { message: 'User not found' });
    }
    const { token, id } = newToken();
    const row = { id, stamp: stamp === undefined ? null : hashOf(stamp), ...columns };
    await this.rows.insert(row, wanted.replaces === true ? formerOf(row) : undefined, transaction);
    return { token, id, expiresAt: new Date(row.expiresAt) };
  }

  /**
   * Runs a change of a user, whom other such changes wait for. For user stores without transactions.
   */
  exclusively<T>(userId: UserId, work: () => Promise<T>): Promise<T> {
    return this.rows.locked(`lock.${ownerOf(userId)}`, Date.now(), work);
  }

  /**
   * Looks up a token without changing it. Costs one read, and for a live token another one for the user's stamp. A
   * malformed token costs none.
   *
   * @param purposes the purpose, or several of which the token may have any
   * @throws AuthException 40010, with the reason `expired` when the token has expired
   */
  async peek(purposes: string | readonly string[], token: string | OneTimeToken): Promise<PeekedToken> {
    const row = await this.rows.find(this.requiredId(purposes, token));
    const purpose = [purposes].flat().find((name) => name === row?.purpose) ?? '';
    const found = row && this.tokenOf(row);
    if (!found || !isLive(row, purpose)) {
      throw refusalOf(row, purpose);
    }
    const stamp = found.userId === undefined ? '' : await this.users.stampOf(found.userId);
    if (stamp === undefined || (row.stamp !== null && row.stamp !== hashOf(stamp))) {
      throw invalid();
    }
    return { ...found, purpose, stamp };
  }

  /**
   * Consumes a token. Only one of several concurrent calls succeeds. Call it in the transaction of the change that the
   * token allows, as the last check before the first write. A rollback makes the token usable again.
   *
   * It does not compare the stamp: make the change with the `stamp` of `peek()` as its condition.
   *
   * @param transaction the transaction of the change. With one of another data source, the token is consumed
   * immediately
   * @throws AuthException 40010, with the reason `expired` when the token has expired
   */
  async claim(purpose: string, token: string | OneTimeToken, transaction: unknown): Promise<void> {
    const id = this.requiredId(purpose, token);
    if (!(await this.rows.deleteLive(id, purpose, Date.now(), transaction))) {
      throw refusalOf(await this.rows.find(id, transaction), purpose);
    }
  }

  /**
   * Counts an attempt with a token, before a code or anything else is compared. Call this outside of transactions,
   * because a rollback would undo the count.
   *
   * @param most how many attempts a token allows
   * @throws AuthException 40010 when there are no more, or the token is not live
   */
  async attempt(purpose: string, token: string | OneTimeToken, most: number): Promise<void> {
    const id = this.requiredId(purpose, token);
    if (!(await this.rows.countAttempt(id, purpose, most, Date.now()))) {
      throw refusalOf(await this.rows.find(id), purpose);
    }
  }

  /**
   * Counts an attempt with a token and runs its work, for example the hash of a password. The attempt is not counted if
   * the work fails with 5xx, or because the client has disconnected.
   *
   * @param most how many attempts the token allows. Default 20
   * @throws AuthException 40010 when there are no more, or the token is not live; and what the work throws
   */
  async attempting<T>(
    purpose: string,
    token: string | OneTimeToken,
    work: () => Promise<T>,
    most = MAX_ATTEMPTS,
  ): Promise<T> {
    await this.attempt(purpose, token, most);
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) {
        await this.giveBack(purpose, token).catch(() => undefined);
      }
      throw error;
    }
  }

  /** Undoes the count of an attempt, because nothing was compared. Does nothing for an unknown token. */
  async giveBack(purpose: string, token: string | OneTimeToken): Promise<void> {
    await this.rows.uncountAttempt(this.requiredId(purpose, token), purpose);
  }

  /**
   * Cancels the tokens that match a filter. It needs at least one member.
   *
   * @param transaction of a change, for example `AccountChange.transaction`
   * @returns how many
   * @throws IllegalStateException for an empty filter
   */
  async cancel(filter: OneTimeTokenFilter, transaction?: unknown): Promise<number> {
    const which = textsOf(filter);
    if (Object.keys(which).length === 0) {
      throw new IllegalStateException('Say which one-time tokens to cancel: id, purpose, userId or subject.');
    }
    return isPossible(which) ? this.rows.remove(which, transaction) : 0;
  }

  /**
   * Lists the tokens that match a filter and have not expired, oldest first. Stamps are not compared.
   *
   * @param transaction of a change, for example `AccountChange.transaction`
   */
  async list(
    filter: OneTimeTokenFilter & { readonly purpose: string },
    transaction?: unknown,
  ): Promise<OneTimeToken[]> {
    requirePurpose(filter.purpose);
    const which = textsOf(filter);
    const rows = isPossible(which) ? await this.rows.listLive(which, Date.now(), transaction) : [];
    const tokens = rows.map((row) => this.tokenOf(row)).filter((token) => token !== undefined);
    tokens.forEach((token) => this.listed.add(token));
    return tokens;
  }

  /** @throws AuthException 40010 for a malformed token */
  private requiredId(purposes: string | readonly string[], token: string | OneTimeToken): string {
    [purposes].flat().forEach(requirePurpose);
    const id = typeof token === 'object' && this.listed.has(token) ? token.id : idOf(token);
    if (id === undefined) {
      throw invalid();
    }
    return id;
  }

  private tokenOf(row: AuthOneTime): OneTimeToken | undefined {
    return tokenOf(row, (text) => this.users.idFrom(text));
  }
}

function textsOf({ id, purpose, userId, subject }: OneTimeTokenFilter): TextColumns {
  return {
    ...(id !== undefined && { id }),
    ...(purpose !== undefined && { purpose }),
    ...(userId !== undefined && { userId: String(userId) }),
    ...(subject !== undefined && { subject }),
  };
}

/** False if no row can match. */
function isPossible({ id }: TextColumns): boolean {
  return id === undefined || isId(id);
}

function formerOf({ purpose, userId, subject }: AuthOneTime): TextColumns {
  return userId === null ? { purpose, userId, subject } : { purpose, userId };
}

function isLive(row: AuthOneTime, purpose: string): boolean {
  return row.purpose === purpose && row.expiresAt > Date.now();
}

/** The refusal of a token whose row may exist. */
function refusalOf(row: AuthOneTime | null, purpose: string): AuthException {
  return invalid(row?.purpose === purpose && !isLive(row, purpose) ? 'expired' : undefined);
}

/** Whether work was refused because of the client's input. 40110 is the answer to a client that has disconnected. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof AuthException && error.getStatus() < 500 && error.code !== AuthErrorCode.LOGIN_FAILED
  );
}

function invalid(reason?: string): AuthException {
  return AuthException.refusal(AuthErrorCode.LINK_INVALID, { reason });
}

function hashOf(stamp: string): string {
  return hash('sha256', stamp, 'hex');
}
