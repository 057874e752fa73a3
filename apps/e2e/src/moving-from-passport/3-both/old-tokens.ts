import { Injectable, Module } from '@nestjs/common';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { type AuthCredential, AuthErrorCode, AuthException, type ResolvedLogin } from 'kit-auth';
import { AccountStore, AccountStoreModule } from '../2-beside/account.store.js';
import { secrets } from '../2-beside/secrets.js';

/** Verifies the tokens that the application issued before kit-auth. */
@Injectable()
export class OldTokens implements AuthCredential {
  readonly scheme = 'old-jwt';
  readonly prefix = 'eyJ'; // every JWT begins with it

  constructor(
    private readonly jwt: JwtService,
    private readonly accounts: AccountStore,
  ) {}

  async resolve(token: string): Promise<ResolvedLogin> {
    const { sub, exp } = await this.jwt
      .verifyAsync<Record<string, unknown>>(token, { algorithms: ['HS256'] })
      .catch((): Record<string, unknown> => ({}));
    const isComplete = typeof sub === 'number' && typeof exp === 'number';
    const user = isComplete ? await this.accounts.loadLoginUser(sub) : undefined;
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID);
    }
    return { user, proof: { factors: {} } };
  }
}

@Module({
  imports: [AccountStoreModule, JwtModule.register({ secret: secrets().oldSecret })],
  providers: [OldTokens],
  exports: [OldTokens],
})
export class OldTokensModule {}
