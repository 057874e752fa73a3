import { Injectable, Module } from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AuthException,
  type AuthProvider,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
} from 'kit-auth';
import { JwtAuthProvider, JwtTokensModule } from 'kit-auth-jwt';
import { OldTokens, OldTokensModule } from './old-tokens.js';

/** Issues new tokens, and accepts old ones as well. */
@Injectable()
export class OldAndNewTokens implements AuthProvider {
  readonly extensionName = 'old-and-new-tokens';
  readonly keepsProof = true;

  constructor(
    private readonly newTokens: JwtAuthProvider,
    private readonly oldTokens: OldTokens,
  ) {}

  issueToken(user: LoginUser, proof?: LoginProof): Promise<string> {
    return this.newTokens.issueToken(user, proof);
  }

  /** The secret that a token is signed with decides which of both it is. */
  async resolve(token: string): Promise<ResolvedLogin> {
    try {
      return await this.newTokens.resolve(token);
    } catch (error) {
      if (error instanceof AuthException && error.reason === 'signature') {
        return this.oldTokens.resolve(token);
      }
      throw error; // a new token that has expired, for example
    }
  }

  async resolveToken(token: string): Promise<LoginUser> {
    return (await this.resolve(token)).user;
  }

  /** Neither kind can be ended before it expires. */
  async invalidate(): Promise<void> {}
}

@Module({
  imports: [JwtTokensModule, OldTokensModule],
  providers: [OldAndNewTokens, { provide: AUTH_PROVIDER, useExisting: OldAndNewTokens }],
})
export class OldAndNewTokensModule {}
