import { Injectable, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  type AccountChange,
  AUTH_USER_STORE,
  type AuthAction,
  type AuthEvent,
  AuthEvents,
  type NewUsername,
  type UserId,
} from 'kit-auth';
import { DataSource } from 'typeorm';
import { OwnUsers, OwnUsersModule } from './own-users.js';

/** Users with text ids, whose changes are part of a transaction of TypeORM. */
@Injectable()
export class UsersInTransactions extends OwnUsers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly events: AuthEvents,
  ) {
    super();
  }

  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const noted: AuthEvent[] = [];
    const result = await this.dataSource.transaction((transaction) =>
      action.run(() =>
        work({ transaction, note: async (event) => void noted.push(await action.keep(event, transaction)) }),
      ),
    );
    noted.forEach((event) => this.events.emit(event));
    return result;
  }

  async changeUsername(userId: UserId, { username, seenStamp }: NewUsername): Promise<boolean> {
    const sql = 'update account set name = ?, stamp = ? where id = ? and stamp = ?';
    return this.db.prepare(sql).run(username, `${seenStamp}.`, userId, seenStamp).changes === 1;
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([])],
  providers: [UsersInTransactions, { provide: AUTH_USER_STORE, useExisting: UsersInTransactions }],
})
export class TransactionsModule {}

/** The stores of users with text ids that suites run with. */
export const OWN_USER_STORES = [
  { how: 'without transactions', users: OwnUsersModule, store: OwnUsers },
  { how: 'with transactions of TypeORM', users: TransactionsModule, store: UsersInTransactions },
];
