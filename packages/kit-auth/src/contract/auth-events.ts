import type { AuthAction, AuthEvent } from './auth-event.js';

/**
 * Begins actions and publishes their events. Inject it by this class.
 *
 * @example
 * constructor(private readonly events: AuthEvents) {}
 *
 * async suspend(userId: number): Promise<void> {
 *   const action = this.events.begin(); // before the first await: the request context is emptied with the response
 *   await this.users.suspend(userId);
 *   action.note({ type: 'user-status-changed', subjectId: userId, detail: 'suspended' });
 * }
 */
export abstract class AuthEvents {
  /**
   * Begins an action of the current user, or of the client of the current request. Call it before the first `await`.
   */
  abstract begin(): AuthAction;
  /** Publishes an event that `AuthAction.keep()` has stored to the listeners, once its transaction has ended. */
  abstract emit(event: AuthEvent): void;
}
