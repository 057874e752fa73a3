import { HttpException } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { type AuthOutcome, type AuthRefusalReason, REFUSAL_REASONS } from './messages.js';

const REASONS: ReadonlySet<string> = new Set(REFUSAL_REASONS);

/** What messages say of an error: nothing that a client or an application could choose freely. */
export function outcomeOf(error: unknown): AuthOutcome & { outcome: 'refused' | 'failed' } {
  const outcome = error instanceof HttpException && error.getStatus() < 500 ? 'refused' : 'failed';
  if (!(error instanceof AuthException)) {
    return { outcome };
  }
  const { code, reason } = error;
  return {
    outcome,
    ...(code in AuthErrorCode && { code }),
    ...(reason !== undefined && {
      reason: REASONS.has(reason) ? (reason as AuthRefusalReason) : 'other',
    }),
  };
}
