import { Injectable, Module } from '@nestjs/common';
import { AUTH_PROVIDER, type AuthProvider, type LoginUser } from 'kit-auth';

/** An implementation whose tokens keep no proof. */
@Injectable()
export class PlainProvider implements AuthProvider {
  readonly extensionName = 'plain';

  async issueToken(user: LoginUser) {
    return `plain-${user.userId}`;
  }

  resolveToken(): LoginUser {
    throw new Error('none');
  }

  async invalidate() {}
}

@Module({ providers: [{ provide: AUTH_PROVIDER, useClass: PlainProvider }] })
export class PlainProviderModule {}
