import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/extend';
import { UserPasskeys } from '../account/user-passkeys.js';

/** Removes the passkeys of deleted users, and after events with `endsFactors`. */
@Injectable()
export class PasskeyCleanup implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(private readonly passkeys: UserPasskeys) {}

  async keep({ type, subjectId, endsFactors }: AuthEvent, transaction?: unknown): Promise<void> {
    if ((type === 'user-deleted' || endsFactors) && subjectId !== null) {
      await this.passkeys.removeAllOf(subjectId, transaction);
    }
  }
}
