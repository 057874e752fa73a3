import { Inject, Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink, ResolvedLogin } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/feature';
import { ShortCache } from 'kit-auth/tools';
import { keysOptions, type ResolvedKeysOptions } from '../keys.options.js';

/** Events after which keys may have ended, or the permissions of their owners may have changed. */
const CHANGES = /^(?:user|role|password|address)-|^key-ended$/;

export interface CachedKey {
  readonly login: ResolvedLogin;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Logins of keys, by the hash of the key. */
@Injectable()
export class KeyCache extends ShortCache<string, CachedKey> implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(@Inject(keysOptions.token) { settings }: ResolvedKeysOptions) {
    super(settings.cacheSeconds * 1000);
  }

  /** Nothing is stored with a change. */
  async keep(): Promise<void> {}

  committed({ type, endsKeys }: AuthEvent): void {
    if (endsKeys || CHANGES.test(type)) {
      this.evict();
    }
  }
}
