import type { LoginUser, LoginUsers } from 'kit-auth';
import { Deadline } from '../stores/deadline.js';
import type { SessionStore, StoredSession } from '../stores/session-store.js';
import type { UserCache } from '../user-cache.js';

const USER_TIMEOUT_MS = 900;

export interface Found {
  /** What the store has under each id that was asked for, in that order. */
  sessions: readonly (StoredSession | undefined)[];
  /** Undefined when the user is gone or not enabled. */
  user: LoginUser | undefined;
}

/** Sessions and their user, in one round trip to each server that has to be asked. */
export class Lookup {
  private readonly deadline = new Deadline('the user database', USER_TIMEOUT_MS);

  constructor(
    private readonly store: SessionStore,
    private readonly cache: UserCache,
    private readonly users: LoginUsers,
  ) {}

  /** Answers without a promise where the user is cached and the store is in this process. */
  find(userId: number, ids: readonly [string] | readonly [string, string]): Found | Promise<Found> {
    const user = this.cache.get(userId);
    if (user !== undefined) {
      const sessions = ids.map((id) => this.store.find(id));
      return sessions.every(isHere)
        ? { sessions, user }
        : Promise.all(sessions.map(async (session) => session)).then((found) => ({ sessions: found, user }));
    }
    return this.ask(userId, ids);
  }

  private async ask(userId: number, ids: readonly [string] | readonly [string, string]): Promise<Found> {
    const { age } = this.cache;
    const found =
      this.store.findWithUser === undefined
        ? await Promise.all([
            Promise.all(ids.map(async (id) => this.store.find(id))),
            this.deadline.within(() => this.users.load(userId)),
          ]).then(([sessions, user]) => ({ sessions, user }))
        : await this.store.findWithUser(userId, ids);
    if (found.user !== undefined) {
      this.cache.set(found.user, age);
    }
    return found;
  }
}

function isHere<T>(answer: T | Promise<T>): answer is T {
  return !(answer instanceof Promise);
}
