import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/extend';
import { UserIdentities } from '../identities/user-identities.js';

/** Removes the identities of deleted users. */
@Injectable()
export class IdentityCleanup implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(private readonly identities: UserIdentities) {}

  async keep({ type, subjectId }: AuthEvent, transaction?: unknown): Promise<void> {
    if (type === 'user-deleted' && subjectId !== null) {
      await this.identities.removeAllOf(subjectId, transaction);
    }
  }
}
