import type { AuthUserStore, LoginUser, SeededAdministrator, StoredUser, UserId } from 'kit-auth';

/** Users in memory, without passwords. It has every method, so that no feature refuses to start. */
export class TestUserStore implements AuthUserStore {
  private readonly users = new Map<UserId, LoginUser>();

  constructor(readonly idType: 'number' | 'string' = 'number') {}

  /** Adds a user, for implementations that load users on every request. */
  add(user: LoginUser): void {
    this.users.set(user.userId, user);
  }

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    const user = [...this.users.values()].find((candidate) => candidate.username === username);
    return user && { id: user.userId, username, enabled: true, securityStamp: '' };
  }

  async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    return this.users.get(userId);
  }

  async stampOf(userId: UserId): Promise<string | undefined> {
    return this.users.has(userId) ? '' : undefined;
  }

  async noteLogin(): Promise<boolean> {
    return true;
  }

  async changePassword(userId: UserId): Promise<boolean> {
    return this.users.has(userId);
  }

  /** Computes no hashes, which would take most of the start-up time of an application. */
  async ensureAdministrator(): Promise<SeededAdministrator> {
    return { outcome: 'bound', passwordHash: '' };
  }
}
