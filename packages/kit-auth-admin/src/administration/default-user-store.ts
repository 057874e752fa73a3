import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
// eslint-disable-next-line kit-auth/primary-reads -- TypeOrmRoles takes it.
import { InjectEntityManager } from '@nestjs/typeorm';
import { IllegalStateException } from 'kit-auth';
import {
  dataSourceOf,
  LoginUserLoader,
  readFromPrimary,
  TypeOrmRoles,
  TypeOrmUserStore,
} from 'kit-auth/typeorm';
import { type DataSource, EntityManager } from 'typeorm';

/**
 * The default user store, and its tables. They are optional for Nest, so that start-up can report what is missing.
 * After `onModuleInit()`, all of them are present.
 */
@Injectable()
export class DefaultUserStore implements OnModuleInit {
  readonly roles: TypeOrmRoles;

  constructor(
    @Optional() readonly users: TypeOrmUserStore,
    @Optional() private readonly loader: LoginUserLoader,
    @Optional() @InjectEntityManager() private readonly manager: EntityManager,
  ) {
    this.roles = new TypeOrmRoles(users, loader, manager);
  }

  /** @throws IllegalStateException when the application uses another user store */
  onModuleInit(): void {
    const parts: readonly (object | undefined)[] = [this.users, this.loader, this.manager];
    if (parts.includes(undefined)) {
      throw new IllegalStateException(
        'KitAuthAdminModule manages the users of the default user store, with the tables auth_user and auth_role. This ' +
          'application uses another store. Instead, import KitAuthUserListModule, which lists and disables the users of ' +
          'every store, and KitAuthAuditModule, the audit log; or remove `users` from KitAuthModule.forRoot().',
      );
    }
  }

  get dataSource(): DataSource {
    return dataSourceOf(this.manager);
  }

  /** Reads what decides something, or what the administrator may just have written. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return readFromPrimary(this.dataSource, work);
  }
}
