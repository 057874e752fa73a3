import { randomBytes } from 'node:crypto';
import {
  AuthErrorCode,
  AuthException,
  type AuthProvider,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
} from 'kit-auth';

/** Random tokens for any user, in memory. Only this process can issue them. */
export class TestAuthProvider implements AuthProvider {
  readonly extensionName = 'testing';
  readonly keepsProof = true;
  private readonly logins = new Map<string, ResolvedLogin>();

  async issueToken(user: LoginUser, proof: LoginProof = { factors: {} }): Promise<string> {
    const token = `test.${randomBytes(24).toString('base64url')}`;
    this.logins.set(token, { user, proof });
    return token;
  }

  resolve(token: string): ResolvedLogin {
    const login = this.logins.get(token);
    if (login === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID);
    }
    return login;
  }

  resolveToken(token: string): LoginUser {
    return this.resolve(token).user;
  }

  async invalidate(token: string): Promise<void> {
    this.logins.delete(token);
  }
}
