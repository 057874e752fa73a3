import type { LoginUser, UserId } from 'kit-auth';

const MAX_USERS = 10_000;

/** Caches users for `userCacheSeconds`. */
export class UserCache {
  /** Ordered by expiry, because all entries live equally long. */
  private readonly users = new Map<UserId, { user: LoginUser; until: number }>();

  /** Increases with each eviction. A user who was requested before an eviction must not be cached after it. */
  age = 0;

  constructor(private readonly milliseconds: number) {}

  get(userId: UserId): LoginUser | undefined {
    const entry = this.users.get(userId);
    return entry !== undefined && Date.now() < entry.until ? entry.user : undefined;
  }

  /** @param age the `age` of the cache when the user was requested */
  set(user: LoginUser, age: number): void {
    if (this.milliseconds === 0 || age !== this.age) {
      return;
    }
    this.users.delete(user.userId);
    this.users.set(user.userId, { user, until: Date.now() + this.milliseconds });
    if (this.users.size > MAX_USERS) {
      const [oldest] = this.users.keys();
      this.users.delete(oldest as number);
    }
  }

  /** Removes a user. Without an id, removes all users. */
  evict(userId?: UserId): void {
    this.age++;
    if (userId === undefined) {
      this.users.clear();
    } else {
      this.users.delete(userId);
    }
  }
}
