import { AuthEvents } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import {
  AuthOneTime,
  type IssuedToken,
  type NewOneTimeToken,
  OneTimeModule,
  OneTimeTokens,
} from 'kit-auth/store';
import { PackageDatabase, type TypeOrmChange, TypeOrmUserStore } from 'kit-auth/typeorm';
import { type sharedDatabase, TestApp } from 'test-support';
import { DataSource, type Repository } from 'typeorm';
import { OneTimeRows } from '../../../../packages/kit-auth/src/store/one-time/one-time.rows.js';
import { Statements } from '../database/statements.js';

export type SharedDatabase = ReturnType<typeof sharedDatabase>;

/** An instance of an application with one-time tokens. */
export class OneTimeApp extends TestApp {
  private readonly statements: Statements;

  /** @param isFirst whether it makes the database empty */
  constructor(
    private readonly shared: SharedDatabase,
    private readonly isFirst = false,
  ) {
    const statements = new Statements();
    super({ imports: [OneTimeModule], admin: true, database: statements.on(shared) });
    this.statements = statements;
  }

  override async start(): Promise<this> {
    if (this.isFirst) {
      await this.shared.recreate();
    }
    return super.start();
  }

  get tokens(): OneTimeTokens {
    return this.get(OneTimeTokens);
  }

  get oneTime(): Repository<AuthOneTime> {
    return this.rowsOf(AuthOneTime);
  }

  issue(wanted: Partial<NewOneTimeToken> = {}): Promise<IssuedToken> {
    return this.tokens.issue({ purpose: 'reset', ttlSeconds: 3600, ...wanted });
  }

  /** A change as a package makes it. */
  change<T>(work: (change: TypeOrmChange) => Promise<T>): Promise<T> {
    return this.get(TypeOrmUserStore).transaction(this.get(AuthEvents).begin(), work);
  }

  claimInChange(token: string, purpose = 'reset'): Promise<void> {
    return this.change(({ transaction }) => this.tokens.claim(purpose, token, transaction));
  }

  stampOf(userId: number): Promise<string | undefined> {
    return this.get(ActiveUserStore).stampOf(userId);
  }

  /** Changes a password without the time of a hash. */
  async changePassword(userId: number): Promise<void> {
    const users = this.get(ActiveUserStore);
    const seenStamp = (await this.stampOf(userId)) ?? '';
    await this.change((change) => users.changePassword(userId, { passwordHash: 'x', seenStamp }, change));
  }

  /** How many statements a call runs. */
  async statementsOf(call: () => Promise<unknown>): Promise<number> {
    return (await this.statements.of(call)).length;
  }
}

/** The rows of an application, to clean them at a time of the test. */
export function rowsOf(app: TestApp): OneTimeRows {
  return new OneTimeRows(
    new PackageDatabase('one-time tokens', { entry: '', entities: [] }, app.get(DataSource)),
  );
}

/** `ok`, or the code and the reason of the refusal. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    const { code, reason } = error as { code?: number; reason?: string };
    return [code ?? String(error), reason].filter((part) => part !== undefined).join(' ');
  }
}
