import { Injectable, Module } from '@nestjs/common';
import { AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { ActiveProvider, ActiveUserStore } from 'kit-auth/extend';

/** Gives a token to a user whom another service has authenticated. */
@Injectable()
export class SocialLogin {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
  ) {}

  /** @param factor how the user was authenticated, for example `google` */
  async tokenFor(userId: UserId, factor: string): Promise<string> {
    const user = await this.users.loadLoginUser(userId);
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.USER_DISABLED);
    }
    const factors = { [factor]: Math.floor(Date.now() / 1000) };
    return this.provider.get().issueToken(user, { factors });
  }
}

@Module({ providers: [SocialLogin], exports: [SocialLogin] })
export class SocialLoginModule {}
