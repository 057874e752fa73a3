import { Injectable, Module } from '@nestjs/common';
import { AUTH_USER_STORE } from 'kit-auth';
import { UsersModule } from '../1-before/users.module.js';
import { type User, UsersService } from '../1-before/users.service.js';
import { AccountStore } from '../2-beside/account.store.js';

/** Handlers find a User in request.user, as JwtStrategy.validate() returned it. */
@Injectable()
export class EntityStore extends AccountStore {
  constructor(private readonly entities: UsersService) {
    super(entities);
  }

  requestUser(id: number): Promise<User | undefined> {
    return this.entities.findById(id);
  }
}

@Module({
  imports: [UsersModule],
  providers: [EntityStore, { provide: AUTH_USER_STORE, useExisting: EntityStore }],
  exports: [EntityStore],
})
export class EntityStoreModule {}
