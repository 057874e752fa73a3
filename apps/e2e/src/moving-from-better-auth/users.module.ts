import { Module } from '@nestjs/common';
import { AUTH_USER_STORE, PASSWORD_HASHER } from 'kit-auth';
import { BetterAuthHasher } from './better-auth.hasher.js';
import { BetterAuthUserStore } from './better-auth.user-store.js';

@Module({
  providers: [
    { provide: AUTH_USER_STORE, useClass: BetterAuthUserStore },
    { provide: PASSWORD_HASHER, useClass: BetterAuthHasher },
  ],
})
export class UsersModule {}
