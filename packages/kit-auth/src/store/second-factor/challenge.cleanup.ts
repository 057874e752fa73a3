import { Injectable } from '@nestjs/common';
import { ATTEMPT_EVENTS, type AuthEvent, type AuthEventSink } from '../../contract/auth-event.js';
import { OneTimeTokens } from '../one-time/one-time.tokens.js';
import { CHALLENGE } from './challenge.js';

/** Ends the logins that wait for a second factor with the sessions of their user. */
@Injectable()
export class ChallengeCleanup implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(private readonly tokens: OneTimeTokens) {}

  async keep({ subjectId, endedSessions }: AuthEvent, transaction?: unknown): Promise<void> {
    if (subjectId !== null && endedSessions === 'all') {
      await this.tokens.cancel({ purpose: CHALLENGE, userId: subjectId }, transaction);
    }
  }
}
