import { Injectable, Module } from '@nestjs/common';
import { AUTH_USER_STORE, type AuthUserStore } from 'kit-auth';

/** Nobody has an account here: users are those of the issuer, and come with its tokens. */
@Injectable()
class NoUsers implements AuthUserStore {
  readonly idType = 'string';

  async loadLoginUser() {
    return undefined;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: NoUsers }] })
export class UsersModule {}
