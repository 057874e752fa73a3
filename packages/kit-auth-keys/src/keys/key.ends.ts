import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink } from 'kit-auth';
import { KeyStore } from '../stores/key.store.js';
import { KeyCache } from './key-cache.js';

/** Events after which keys may have ended, or the permissions of their owners may have changed. */
const CHANGES = /^(?:user|role|password|address)-|^key-ended$/;

/** Ends keys with a reset of the password and with their owner. */
@Injectable()
export class KeyEnds implements AuthEventSink {
  constructor(
    private readonly store: KeyStore,
    private readonly cache: KeyCache,
  ) {}

  async keep({ type, subjectId, success }: AuthEvent, transaction?: unknown): Promise<void> {
    if (subjectId === null || !success) {
      return;
    }
    if (type === 'password-reset') {
      await this.store.endAllOf(subjectId, 'password-changed', transaction);
    } else if (type === 'user-deleted') {
      await this.store.endAllOf(subjectId, 'disabled', transaction);
    }
  }

  committed({ type }: AuthEvent): void {
    if (CHANGES.test(type)) {
      this.cache.evict();
    }
  }
}
