import { Injectable } from '@nestjs/common';
import type { LoginEnd } from '../contract/login-end.js';
import { Ports } from './ports.js';

/**
 * Tells the listeners of the application that logins have ended. Whatever ends logins calls it, after the end is stored.
 *
 * @example
 * if (await this.store.end(sessionId, reason)) {
 *   this.ends.note({ userId, loginId: sessionId, reason });
 * }
 */
@Injectable()
export class LoginEnds {
  constructor(private readonly ports: Ports) {}

  /** Whether there is a listener, so that it is worth to find out what `note` needs. */
  get areHeard(): boolean {
    return this.ports.endListeners.length > 0;
  }

  /** Never throws, and does not wait for listeners. */
  note(end: LoginEnd): void {
    if (this.areHeard) {
      const frozen = Object.freeze({ ...end });
      this.ports.endListeners.forEach((listener) => listener.ended(frozen));
    }
  }
}
