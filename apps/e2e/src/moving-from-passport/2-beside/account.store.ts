import { Injectable, Module } from '@nestjs/common';
import { AUTH_USER_STORE, type AuthUserStore, type LoginUser, type StoredUser } from 'kit-auth';
import { UsersModule } from '../1-before/users.module.js';
import { UsersService } from '../1-before/users.service.js';

/** Shows kit-auth the users of the application. */
@Injectable()
export class AccountStore implements AuthUserStore {
  constructor(private readonly users: UsersService) {}

  async findByUsername(email: string): Promise<StoredUser | undefined> {
    const user = await this.users.findByEmail(email);
    return (
      user && {
        id: user.id,
        username: user.email,
        passwordHash: user.passwordHash,
        enabled: user.active,
        securityStamp: '',
      }
    );
  }

  async loadLoginUser(id: number): Promise<LoginUser | undefined> {
    const user = await this.users.findById(id);
    if (!user?.active) {
      return undefined;
    }
    return {
      userId: user.id,
      username: user.email,
      nickname: user.name,
      superAdmin: false,
      roles: [...user.roles],
      permissions: [],
    };
  }
}

@Module({
  imports: [UsersModule],
  providers: [AccountStore, { provide: AUTH_USER_STORE, useExisting: AccountStore }],
  exports: [AccountStore],
})
export class AccountStoreModule {}
