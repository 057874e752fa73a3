import type { LoginProof } from 'kit-auth';
import type { VerificationKey } from 'kit-auth/jws';
import type { ReadToken } from './token.rules.js';

/** A token whose claims are right. Its times and its key are checked with every request. */
export interface IssuedToken extends ReadToken {
  /** Without the actor. */
  readonly proof: LoginProof;
  /** The key that has signed it. Undefined before the signature was verified. */
  key: VerificationKey | undefined;
}
