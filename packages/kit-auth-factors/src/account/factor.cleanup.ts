import { Injectable, Logger } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/feature';
import { describeError } from 'kit-auth/tools';
import { FactorGuesses } from 'kit-auth/login';
import { UserFactors } from './user-factors.js';

/**
 * Removes the factors of deleted users, and after events with `endsFactors`. Clears the count of wrong codes when an
 * administrator unlocks a user.
 */
@Injectable()
export class FactorCleanup implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly factors: UserFactors,
    private readonly guesses: FactorGuesses,
  ) {}

  async keep({ type, subjectId, endsFactors }: AuthEvent, transaction?: unknown): Promise<void> {
    if ((type === 'user-deleted' || endsFactors) && subjectId !== null) {
      await this.factors.removeAllOf(subjectId, transaction);
    }
  }

  committed({ type, subjectId, success }: AuthEvent): void {
    if (success && subjectId !== null && (type === 'user-unlocked' || type === 'user-deleted')) {
      this.guesses.forget(subjectId).catch((error: unknown) => {
        this.logger.warn(`[auth] the wrong codes of a user were not forgotten: ${describeError(error)}`);
      });
    }
  }
}
