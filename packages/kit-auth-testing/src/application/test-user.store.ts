import type { AuthUserStore, LoginUser, SeededAdministrator, StoredUser, UserId } from 'kit-auth';

/** Users in memory, none of whom has a password. It has every method, so that no feature refuses to start. */
export class TestUserStore implements AuthUserStore {
  private readonly users = new Map<UserId, LoginUser>();

  constructor(readonly idType: 'number' | 'string' = 'number') {}

  /** Makes a user known, for implementations that load users on every request. */
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

  /** Hashes nothing: that would take most of the time that an application needs to start. */
  async ensureAdministrator(): Promise<SeededAdministrator> {
    return { outcome: 'bound', passwordHash: '' };
  }
}
