import { Module } from '@nestjs/common';
import { AUTH_USER_STORE, PASSWORD_HASHER } from 'kit-auth';
import { LuciaHasher } from './lucia.hasher.js';
import { LuciaUserStore } from './lucia.user-store.js';

@Module({
  providers: [
    { provide: AUTH_USER_STORE, useClass: LuciaUserStore },
    { provide: PASSWORD_HASHER, useClass: LuciaHasher },
  ],
})
export class UsersModule {}
