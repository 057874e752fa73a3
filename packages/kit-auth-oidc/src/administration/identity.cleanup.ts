import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/extend';
import { OneTimeTokens } from 'kit-auth/one-time';
import { UserIdentities } from '../identities/user-identities.js';
import { CODE } from '../login/codes.js';

/** Removes the identities of deleted users, and after events with `endsFactors`. Ends codes with the sessions of their users. */
@Injectable()
export class IdentityCleanup implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(
    private readonly identities: UserIdentities,
    private readonly tokens: OneTimeTokens,
  ) {}

  async keep(
    { type, subjectId, endsFactors, endedSessions }: AuthEvent,
    transaction?: unknown,
  ): Promise<void> {
    if (subjectId === null) {
      return;
    }
    if (type === 'user-deleted' || endsFactors) {
      await this.identities.removeAllOf(subjectId, transaction);
    } else if (endedSessions === 'all') {
      await this.tokens.cancel({ purpose: CODE, userId: subjectId }, transaction);
    }
  }
}
