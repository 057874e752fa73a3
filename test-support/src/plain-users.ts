import { Injectable, Module } from '@nestjs/common';
import { AUTH_USER_STORE } from 'kit-auth';

/** A user store without users and without optional methods. */
@Injectable()
class PlainUsers {
  async loadLoginUser() {
    return undefined;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: PlainUsers }] })
export class PlainUsersModule {}

/** One with the optional methods that our packages require. */
@Injectable()
class CapableUsers extends PlainUsers {
  async findByUsername() {
    return undefined;
  }

  async stampOf() {
    return undefined;
  }

  async changePassword() {
    return false;
  }

  async createUser() {
    return 1;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: CapableUsers }] })
export class CapableUsersModule {}
