import { Injectable } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import type { Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { FreshRequirement } from '../contract/requirement.js';
import type { AccountChange } from '../contract/user-store.js';
import { invalidToken } from '../errors/auth.exception.js';
import { staleness } from '../guard/fresh-login.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { Factors } from '../ports/factors.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { SessionEnds } from './session-ends.js';

const EVER: FreshRequirement = { kind: 'fresh', within: Infinity, factors: 'second-or-recovery' };

type Work<T> = (change: AccountChange) => Promise<T>;

/** The user of a login who adds a way to log in. */
export interface AddingUser {
  readonly principal: Principal;
  readonly user: Pick<LoginUser, 'userId'>;
  /** The security stamp when the login was checked. */
  readonly stamp: string | undefined;
}

/**
 * Changes of the ways in which a user logs in, such as passkeys and identities. Changes of one user follow one another, because
 * each locks the row of the user first. A removal by an administrator renews the security stamp, so that logins and additions
 * that have begun before it end without effect.
 */
@Injectable()
export class LoginWays {
  constructor(
    private readonly factors: Factors,
    private readonly users: ActiveUserStore,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
  ) {}

  /**
   * Whether a login has shown a second factor, if its user has one by now. For the end of a change that takes several requests:
   * a login that began with the password alone must not complete it after the user has set up a second factor.
   */
  async hasShownSecond({ user, proof }: ResolvedLogin): Promise<boolean> {
    const second = await this.factors.secondOf(user, true);
    return (
      second.names.length === 0 || staleness(proof, EVER, second, Math.floor(Date.now() / 1000)) === undefined
    );
  }

  /**
   * Runs a change in which users add a way to log in. Checks again that the login lives, and, while the user is locked, that the
   * user is the same: a removal ends the login, or it renews the stamp that was read before.
   *
   * @throws AuthException 40101 for a login that has ended, and a user who was changed
   */
  async adding<T>(action: AuthAction, { principal, user, stamp }: AddingUser, add: Work<T>): Promise<T> {
    const { userId } = user;
    // Not in the transaction, where it may need a second connection.
    if (!(await this.logins.mayLive(principal))) {
      throw invalidToken('revoked');
    }
    return this.users.changing(action, userId, async (change) => {
      if (this.users.has('stampOf') && (await this.users.stampOf(userId, change)) !== stamp) {
        throw invalidToken('revoked');
      }
      return add(change);
    });
  }

  /**
   * Runs a change in which users remove a way to log in.
   *
   * @param factor for example `passkey`
   * @param remove gets whether the user can log in without the factor: with a password, or as `Factor.canLogIn` says
   */
  async removing<T>(
    action: AuthAction,
    user: LoginUser,
    factor: string,
    remove: (change: AccountChange, hasOtherWay: boolean) => Promise<T>,
  ): Promise<T> {
    // Before the transaction, because it may need another connection. Passwords are never removed.
    const hasPassword = await this.users.hasPassword(user);
    return this.users.changing(action, user.userId, async (change) => {
      await this.users.lockUser(user.userId, change);
      const hasOtherWay =
        hasPassword || (await this.factors.waysOf(user, change)).some((way) => way !== factor);
      return remove(change, hasOtherWay);
    });
  }

  /**
   * Runs a change in which an administrator removes a way to log in, even the last one. All sessions of the user end.
   *
   * @param what completes "before the removal of ..."
   * @param remove notes the event
   */
  revoking(
    action: AuthAction,
    owner: Pick<LoginUser, 'userId' | 'username'>,
    what: string,
    remove: Work<void>,
  ): Promise<void> {
    return this.ends.changeOwn(action, owner, {
      reason: 'kicked',
      detail: `before the removal of ${what}`,
      work: async (change) => {
        await this.users.renewStamp(owner.userId, change);
        await remove(change);
      },
    });
  }
}
