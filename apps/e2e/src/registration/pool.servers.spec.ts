import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import {
  type AccountChange,
  type AuthAction,
  AUTH_USER_STORE,
  KitAuthModule,
  type NewUser,
  type NotedEvent,
  type UserId,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { sharedDatabase, sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { OwnUsers } from '../users/own-users.js';
import { RegistrationApp, withoutDelays } from './app.js';

/** Users whose changes are transactions of the data source. */
@Injectable()
class Users extends OwnUsers {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    return this.dataSource.transaction((transaction) => {
      const note = async (event: NotedEvent) => {
        await action.keep(event, transaction);
      };
      return action.run(() => work({ transaction, note }));
    });
  }

  async createUser({ username, passwordHash }: NewUser): Promise<UserId> {
    return this.insert({ name: username, hash: passwordHash ?? '', roles: '[]', permissions: '[]' });
  }
}

@Module({
  providers: [
    { provide: OwnUsers, useClass: Users },
    { provide: AUTH_USER_STORE, useExisting: OwnUsers },
  ],
})
class UsersModule {}

const database = sharedDatabase('postgres');
beforeAll(() => database.recreate());
const app = sharedTestApp(
  new RegistrationApp({
    core: KitAuthModule.forRoot({ users: UsersModule, password: { cost: 10 } }),
    provider: KitAuthJwtModule,
    database: { ...database, options: { ...database.options, extra: { max: 2 } } as never },
  }),
);
beforeEach(withoutDelays);

it('completes more registrations at once than the pool has connections', async () => {
  const tokens: string[] = [];
  for (let i = 0; i < 6; i++) {
    tokens.push(await app.linkTo(`pool-${i}@example.com`));
  }
  const outcomes = await Promise.all(tokens.map((token) => app.outcomeOf(token)));
  expect(outcomes).toEqual(tokens.map(() => '200'));
});
