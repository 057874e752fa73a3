import { randomBytes } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import {
  AUTH_PROVIDER,
  AuthErrorCode,
  AuthException,
  type AuthProvider,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
} from 'kit-auth';

@Injectable()
export class MemoryAuthProvider implements AuthProvider {
  readonly extensionName = 'memory'; // in the start-up log and in error messages
  readonly keepsProof = true; // resolve() returns the proof that issueToken() received
  private readonly logins = new Map<string, ResolvedLogin>();

  async issueToken(user: LoginUser, proof: LoginProof = { factors: {} }): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    this.logins.set(token, { user, proof });
    return token;
  }

  /** Not `async`: without I/O, it saves each request a promise. */
  resolve(token: string): ResolvedLogin {
    const login = this.logins.get(token);
    if (login === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'logged-out' });
    }
    if (login.proof.expiresAt !== undefined && login.proof.expiresAt <= Date.now() / 1000) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'expired' });
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

@Module({ providers: [{ provide: AUTH_PROVIDER, useClass: MemoryAuthProvider }] })
export class KitAuthMemoryModule {}
