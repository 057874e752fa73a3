import type { AccountChange, LoginUser, UserId } from 'kit-auth';
import type { EndedSessions } from 'kit-auth/login';

/** A user, as events name them. */
export type SessionOwner = Pick<LoginUser, 'userId' | 'username'>;

/** The users whose sessions administrators list and end. Each kind of user store has its own. */
export abstract class SessionOwners {
  /** @param text the id in the path. @throws AuthException 40400 for unknown users */
  abstract find(text: string): Promise<UserId>;

  /**
   * Runs a change that ends sessions of a user: see `SessionEnds.change`.
   *
   * @param permission what the acting user needs
   * @param text the id in the path
   * @throws AuthException 40400 for unknown users, 40300 for users whom the administrator may not manage, and
   * like `ActingAdministrator.authority()`
   */
  abstract change(
    permission: string,
    text: string,
    work: (owner: SessionOwner, change: AccountChange) => Promise<EndedSessions>,
  ): Promise<void>;
}
