import type { LoginProof, LoginUser, ResolvedLogin, UserId } from 'kit-auth';
import type { Session, SessionEnd } from '../stores/session-store.js';

export const SESSION_MODE = Symbol.for('kit-auth-session.mode');

/** The relation of tokens to sessions: a token names a stored session, or contains the session encrypted. */
export interface SessionMode {
  issue(user: LoginUser, proof: LoginProof): Promise<string>;
  /** Issues a token that replaces another one. Rejects with `AuthException` 40101 if the session of that has ended. */
  replace(former: string, user: LoginUser, proof: LoginProof): Promise<string>;
  /** Throws or rejects with `AuthException` 40101 when the token is invalid or its session has ended. */
  resolve(token: string): ResolvedLogin | Promise<ResolvedLogin>;
  /** The id of a token's session. Undefined for malformed tokens. */
  idOf(token: string): string | undefined;
  /**
   * Ends the session of a token, or its successor if it was replaced. Does nothing for malformed tokens.
   *
   * @param by default `logged-out`
   * @returns the user whose session this call ended. Undefined if it ended none, and for users with string ids if no
   * listener wants to know
   */
  logout(token: string, now: number, by?: SessionEnd): Promise<UserId | undefined>;
  /** @returns how many; 0 when that is unknown */
  endAllOf(userId: UserId, by: SessionEnd, now: number, options: EndingAll): Promise<number>;
  /** Absent when sessions are not stored. @returns whether this call ended it */
  end?(id: string, by: SessionEnd, now: number, onBehalfOf: string | undefined): Promise<boolean>;
  /** Absent when sessions are not stored. @returns undefined for a session that has ended. See `AuthSessions.liveIdOf` */
  liveIdOf?(id: string, now: number): Promise<string | undefined>;
  /** Absent when sessions are not stored. */
  listOf?(userId: UserId, now: number): Promise<Session[]>;
}

export interface EndingAll {
  /** The session that stays alive. */
  exceptId: string | undefined;
  /** The token of the requesting session. If that session has ended, no other session is ended. */
  onBehalfOf: string | undefined;
}
