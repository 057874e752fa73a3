import { Injectable } from '@nestjs/common';
import { ATTEMPT_EVENTS, type AuthEvent, type AuthEventSink } from '../contract/auth-event.js';
import { SecondFactorLogin } from './second-factor.login.js';

/** Ends the logins that wait for a second factor with the sessions of their user. */
@Injectable()
export class ChallengeCleanup implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(private readonly login: SecondFactorLogin) {}

  async keep({ subjectId, endedSessions }: AuthEvent, transaction?: unknown): Promise<void> {
    if (subjectId !== null && endedSessions === 'all') {
      await this.login.cancelOf(subjectId, transaction);
    }
  }
}
