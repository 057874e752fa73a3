import type { LoginUser } from 'kit-auth';

const MOST_USERS = 10_000;

/** Users as they were a moment ago, where an application accepts that (`userCacheSeconds`). */
export class UserCache {
  /** In the order of their ends, which is that of their beginnings. */
  private readonly users = new Map<number, { user: LoginUser; until: number }>();

  /** Grows with every eviction: what was asked for before one may not be kept after it. */
  age = 0;

  constructor(private readonly milliseconds: number) {}

  get(userId: number): LoginUser | undefined {
    const entry = this.users.get(userId);
    return entry !== undefined && Date.now() < entry.until ? entry.user : undefined;
  }

  /** @param age that of the cache when the user was asked for */
  set(user: LoginUser, age: number): void {
    if (this.milliseconds === 0 || age !== this.age) {
      return;
    }
    this.users.delete(user.userId);
    this.users.set(user.userId, { user, until: Date.now() + this.milliseconds });
    if (this.users.size > MOST_USERS) {
      const [oldest] = this.users.keys();
      this.users.delete(oldest as number);
    }
  }

  /** Forgets a user, or all of them. */
  evict(userId?: number): void {
    this.age++;
    if (userId === undefined) {
      this.users.clear();
    } else {
      this.users.delete(userId);
    }
  }
}
