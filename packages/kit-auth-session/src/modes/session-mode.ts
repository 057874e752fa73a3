import { AuthErrorCode, AuthException, type LoginUser } from 'kit-auth';
import type { Session, SessionEnd } from '../stores/session-store.js';

/** How tokens and sessions belong together: a token names a session that is stored, or holds it sealed. */
export interface SessionMode {
  issue(user: LoginUser): Promise<string>;
  /** Throws or rejects with `AuthException` 40101. */
  resolve(token: string): LoginUser | Promise<LoginUser>;
  /** The id of a token's session; undefined for a text that is no token. */
  idOf(token: string): string | undefined;
  /** @returns whether this call ended it, as far as that can be told */
  end(id: string, by: SessionEnd, now: number): Promise<boolean>;
  endAllOf(userId: number, by: SessionEnd, now: number, exceptId: string | undefined): Promise<number>;
  /** Absent where sessions are not stored. */
  listOf?(userId: number, now: number): Promise<Session[]>;
}

export function refused(reason?: string): AuthException {
  return AuthException.refusal(AuthErrorCode.TOKEN_INVALID, reason === undefined ? {} : { reason });
}
