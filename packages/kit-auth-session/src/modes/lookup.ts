import type { LoginUser } from 'kit-auth';
import { type ActiveUserStore, Deadline } from 'kit-auth/extend';
import type { SessionStore, StoredSession } from '../stores/session-store.js';
import type { UserCache } from '../user-cache.js';

const USER_TIMEOUT_MS = 900;

type SessionIds = readonly [string] | readonly [string, string];

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
    private readonly users: ActiveUserStore,
  ) {}

  /** Answers without a promise where the user is cached and the store is in this process. */
  find(userId: number, ids: SessionIds): Found | Promise<Found> {
    const user = this.cache.get(userId);
    if (user === undefined) {
      return this.ask(userId, ids);
    }
    const sessions = this.sessionsOf(ids);
    return sessions instanceof Promise
      ? sessions.then((found) => ({ sessions: found, user }))
      : { sessions, user };
  }

  private async ask(userId: number, ids: SessionIds): Promise<Found> {
    const { age } = this.cache;
    const found = await (this.store.findWithUser?.(userId, ids) ?? this.askBoth(userId, ids));
    if (found.user !== undefined) {
      this.cache.set(found.user, age);
    }
    return found;
  }

  private async askBoth(userId: number, ids: SessionIds): Promise<Found> {
    const [sessions, user] = await Promise.all([
      this.sessionsOf(ids),
      this.deadline.within(() => this.users.loadLoginUser(userId)),
    ]);
    return { sessions, user };
  }

  private sessionsOf(ids: SessionIds): Found['sessions'] | Promise<Found['sessions']> {
    const answers = ids.map((id) => this.store.find(id));
    if (answers.every(isHere)) {
      return answers;
    }
    const [only] = answers;
    return answers.length === 1 && only instanceof Promise
      ? only.then((session) => [session])
      : Promise.all(answers.map(async (answer) => answer));
  }
}

function isHere<T>(answer: T | Promise<T>): answer is T {
  return !(answer instanceof Promise);
}
