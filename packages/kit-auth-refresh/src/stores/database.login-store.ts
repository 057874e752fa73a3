import type { Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { LoginProof, SessionEndReason, UserId } from 'kit-auth';
import { asciiJson, isOwnedBy, isUserId, ProofReader, userIdFrom, writeProof } from 'kit-auth/login';
import { Deadline } from 'kit-auth/tools';
import {
  DatabaseTransactions,
  type LoginLimit,
  LoginRows,
  PackageDatabase,
  TypeOrmUserStore,
} from 'kit-auth/typeorm';
import { type DataSource, IsNull } from 'typeorm';
import { AuthLogin } from './auth-login.entity.js';
import { LOGIN_TABLES } from './login.migrations.js';
import {
  LOGIN_STORE,
  type LoginStore,
  REMEMBERED_MS,
  type Replay,
  type Rotation,
  type StoredLogin,
} from './login-store.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthLogin]);

const TIMEOUT_MS = 900;
const REASON = /^[\w-]{1,32}$/;
const proofs = new ProofReader();

/** Stores logins in the application's data source, in the table `auth_login`. */
export class DatabaseLoginStore implements LoginStore {
  private readonly deadline = new Deadline('the database of logins', TIMEOUT_MS);
  private readonly transactions: DatabaseTransactions;
  private readonly rows: LoginRows<AuthLogin>;
  private readonly database: PackageDatabase;

  /** @param endsInTransaction whether ends join changes of the default user store */
  constructor(
    dataSource: DataSource,
    readonly endsInTransaction: boolean,
  ) {
    this.database = new PackageDatabase('logins', LOGIN_TABLES, dataSource);
    this.transactions = new DatabaseTransactions(dataSource);
    const bounded = new DatabaseTransactions(dataSource, this.deadline);
    this.rows = new LoginRows(bounded, AuthLogin);
  }

  get isInTransaction(): boolean {
    return this.database.joined() !== undefined;
  }

  open(): Promise<void> {
    return this.database.open();
  }

  create({ proof, ...login }: StoredLogin, limit?: LoginLimit): Promise<readonly string[] | undefined> {
    return this.rows.add({ ...login, userId: String(login.userId), factors: factorsOf(proof) }, limit);
  }

  async find(id: string): Promise<StoredLogin | undefined> {
    const row = await this.rows.find(id);
    return row && storedLogin(row);
  }

  rotate(id: string, from: string, { proof, ...rotation }: Rotation): Promise<boolean> {
    return this.deadline.within(async () => {
      const begun = performance.now();
      const update = async (from: string, values: Partial<AuthLogin>) => {
        const which = { id, current: from, endedBy: IsNull() };
        const { affected } = await this.transactions.write((manager) =>
          manager.update(AuthLogin, which, values),
        );
        return affected !== 0;
      };
      const isRotated = await update(
        from,
        proof === undefined ? rotation : { ...rotation, factors: factorsOf(proof) },
      );
      const lateMs = performance.now() - begun;
      if (isRotated && rotation.rotatedAt !== null && lateMs > TIMEOUT_MS) {
        // The client got 50300 and tries again, so its grace period begins now.
        await update(rotation.current, { rotatedAt: rotation.rotatedAt + Math.round(lateMs) });
      }
      return isRotated;
    });
  }

  noteReplay(id: string, replayedIn: number | null, replay: Replay): Promise<boolean> {
    return this.deadline.within(async () => {
      // Does not compare the current secret: a concurrent rotation must not hide the replay.
      const which = { id, endedBy: IsNull(), replayedIn: replayedIn ?? IsNull() };
      const { affected } = await this.transactions.write((manager) =>
        manager.update(AuthLogin, which, replay),
      );
      return affected !== 0;
    });
  }

  end(id: string, by: SessionEndReason, now: number, onBehalfOf?: string): Promise<boolean> {
    return this.rows.end(id, by, now, onBehalfOf);
  }

  endAllOf(
    userId: UserId,
    by: SessionEndReason,
    now: number,
    exceptId?: string,
    onBehalfOf?: string,
  ): Promise<{ ids: readonly string[]; count: number }> {
    return this.rows.endAllOf(userId, by, now, exceptId, onBehalfOf);
  }

  async listOf(userId: UserId, now: number): Promise<StoredLogin[]> {
    const rows = await this.rows.listOf(userId, now);
    return rows.map(storedLogin).filter((login) => login !== undefined);
  }

  prune(now: number): Promise<number> {
    return this.rows.prune(now - REMEMBERED_MS);
  }
}

/** @returns undefined for a row that this package has not written */
function storedLogin({ factors, ...row }: AuthLogin): StoredLogin | undefined {
  const userId = userIdFrom(row.id, row.userId);
  const proof = proofs.read(row.id, factors ?? undefined);
  const { createdAt, lastSeenAt, expiresAt, rotatedAt, rotations, replayedIn, replays } = row;
  const numbers = [
    createdAt,
    lastSeenAt,
    expiresAt,
    rotatedAt ?? 0,
    rotations,
    replayedIn ?? 0,
    replays ?? 0,
  ];
  const isValid =
    isUserId(userId) &&
    isOwnedBy(row.id, userId) &&
    numbers.every((number) => Number.isSafeInteger(number) && number >= 0) &&
    (factors === null || Object.keys(proof.factors).length > 0 || proof.actor !== undefined) &&
    (row.endedBy === null || REASON.test(row.endedBy));
  return isValid ? { ...row, userId, proof } : undefined;
}

/** The proof as JSON. The row has its end. */
function factorsOf({ factors, actor }: LoginProof): string | null {
  const text = writeProof(actor === undefined ? { factors } : { factors, actor });
  return text === undefined ? null : asciiJson(text);
}

/** The store. Undefined in applications without a data source. */
export const databaseLogins: Provider = {
  provide: LOGIN_STORE,
  useFactory: (dataSource?: DataSource, users?: TypeOrmUserStore) =>
    dataSource && new DatabaseLoginStore(dataSource, users !== undefined),
  inject: [getDataSourceToken(), TypeOrmUserStore].map((token) => ({ token, optional: true })),
};
