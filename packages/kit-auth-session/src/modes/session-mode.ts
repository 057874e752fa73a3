import { AuthErrorCode, AuthException, type LoginProof, type LoginUser, type ResolvedLogin } from 'kit-auth';
import type { Session, SessionEnd } from '../stores/session-store.js';

/** How tokens and sessions belong together: a token names a session that is stored, or holds it sealed. */
export interface SessionMode {
  issue(user: LoginUser, proof: LoginProof): Promise<string>;
  /** Throws or rejects with `AuthException` 40101. */
  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin>;
  /** The id of a token's session; undefined for a text that is no token. */
  idOf(token: string): string | undefined;
  /** Ends the session of a token as `logged-out`; does nothing for a text that is no token. */
  logout(token: string, now: number): Promise<void>;
  /** @returns how many; 0 where that is not known */
  endAllOf(userId: number, by: SessionEnd, now: number, options: EndingAll): Promise<number>;
  /** Absent where sessions are not stored. @returns whether this call ended it */
  end?(id: string, by: SessionEnd, now: number, onBehalfOf: string | undefined): Promise<boolean>;
  /** Absent where sessions are not stored. */
  listOf?(userId: number, now: number): Promise<Session[]>;
}

export interface EndingAll {
  exceptId: string | undefined;
  /** The token of the session that asks for it: nothing ends once that session is over. */
  onBehalfOf: string | undefined;
}

export function refused(reason?: string): AuthException {
  return AuthException.refusal(AuthErrorCode.TOKEN_INVALID, reason === undefined ? {} : { reason });
}
