import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink, SessionEndReason } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/extend';
import { KeyStore } from '../stores/key.store.js';
import { KeyCache } from './key-cache.js';

/** Events after which keys may have ended, or the permissions of their owners may have changed. */
const CHANGES = /^(?:user|role|password|address)-|^key-ended$/;

/** Events that end keys even without `endsKeys`. */
const ALWAYS: ReadonlySet<string> = new Set(['password-reset', 'user-deleted']);
/** The reason that the next request with the key gets. Default: `kicked`. */
const REASONS: Readonly<Record<string, SessionEndReason>> = {
  'password-reset': 'password-changed',
  'password-changed': 'password-changed',
  'user-deleted': 'disabled',
};

/** Ends keys after a password reset, when their owner is disabled or deleted, and after events with `endsKeys`. */
@Injectable()
export class KeyEnds implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(
    private readonly store: KeyStore,
    private readonly cache: KeyCache,
  ) {}

  async keep({ type, subjectId, success, endsKeys }: AuthEvent, transaction?: unknown): Promise<void> {
    const reason = typeof endsKeys === 'string' ? endsKeys : (REASONS[type] ?? 'kicked');
    if (subjectId !== null && success && (endsKeys || ALWAYS.has(type))) {
      await this.store.endAllOf(subjectId, reason, transaction);
    }
  }

  committed({ type, endsKeys }: AuthEvent): void {
    if (endsKeys || CHANGES.test(type)) {
      this.cache.evict();
    }
  }
}
