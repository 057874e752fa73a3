import type { LoginUser, UserId } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import { Deadline, ShortCache } from 'kit-auth/tools';
import { storeCalls } from 'kit-auth/login';
import type { SessionStore, StoredSession } from '../stores/session-store.js';

const USER_TIMEOUT_MS = 900;

type SessionIds = readonly [string] | readonly [string, string];

export interface Found {
  /** One entry for each id, in the same order. */
  sessions: readonly (StoredSession | undefined)[];
  /** Undefined when the user is unknown or not enabled. */
  user: LoginUser | undefined;
}

/** Looks up sessions and their user, with one round trip to each server involved. */
export class Lookup {
  private readonly deadline = new Deadline('the user database', USER_TIMEOUT_MS);

  constructor(
    private readonly store: SessionStore,
    private readonly cache: UserCache,
    private readonly users: ActiveUserStore,
  ) {}

  /** True if a user can have this id. The ids of a user store are either strings or numbers. */
  canFind(userId: UserId): boolean {
    return typeof userId === this.users.idType;
  }

  /**
   * Finds the user through the session, for users with string ids: the token does not contain the id, so no string of a
   * client reaches the user store. Returns no promise when the user is cached and the store is in memory.
   */
  findOwned(id: string): Found | Promise<Found> {
    const session = this.findOne(id);
    return session instanceof Promise
      ? session.then((stored) => this.ownedBy(stored))
      : this.ownedBy(session);
  }

  private ownedBy(session: StoredSession | undefined): Found | Promise<Found> {
    if (session === undefined || session.endedBy !== undefined || !this.canFind(session.userId)) {
      return { sessions: [session], user: undefined };
    }
    const user = this.cache.get(session.userId);
    return user === undefined
      ? this.caching(async () => ({ sessions: [session], user: await this.loadUser(session.userId) }))
      : { sessions: [session], user };
  }

  /** Returns no promise when the user is cached and the store is in memory. */
  find(userId: UserId, ids: SessionIds): Found | Promise<Found> {
    const user = this.cache.get(userId);
    if (user === undefined) {
      return this.caching(() => this.findWithUser(userId, ids) ?? this.loadBoth(userId, ids));
    }
    const sessions = this.sessionsOf(ids);
    return sessions instanceof Promise
      ? sessions.then((found) => ({ sessions: found, user }))
      : { sessions, user };
  }

  private async caching(load: () => Promise<Found>): Promise<Found> {
    const { age } = this.cache;
    const found = await load();
    if (found.user !== undefined) {
      this.cache.set(found.user.userId, found.user, age);
    }
    return found;
  }

  private async loadBoth(userId: UserId, ids: SessionIds): Promise<Found> {
    const [sessions, user] = await Promise.all([this.sessionsOf(ids), this.loadUser(userId)]);
    return { sessions, user };
  }

  private findWithUser(userId: UserId, ids: SessionIds): Promise<Found> | undefined {
    return this.store.findWithUser !== undefined && storeCalls.isObserved
      ? storeCalls.run({ store: 'sessions', operation: 'findWithUser' }, () =>
          this.store.findWithUser?.(userId, ids),
        )
      : this.store.findWithUser?.(userId, ids);
  }

  private findOne(id: string): ReturnType<SessionStore['find']> {
    return storeCalls.isObserved
      ? storeCalls.run({ store: 'sessions', operation: 'find' }, () => this.store.find(id))
      : this.store.find(id);
  }

  private loadUser(userId: UserId): Promise<LoginUser | undefined> {
    return this.deadline.within(() => this.users.loadLoginUser(userId));
  }

  private sessionsOf(ids: SessionIds): Found['sessions'] | Promise<Found['sessions']> {
    const answers = ids.map((id) => this.findOne(id));
    if (answers.every(isSync)) {
      return answers;
    }
    const [only] = answers;
    return answers.length === 1 && only instanceof Promise
      ? only.then((session) => [session])
      : Promise.all(answers.map(async (answer) => answer));
  }
}

function isSync<T>(answer: T | Promise<T>): answer is T {
  return !(answer instanceof Promise);
}

/** Caches users for `userCacheSeconds`. */
export class UserCache extends ShortCache<UserId, LoginUser> {}
