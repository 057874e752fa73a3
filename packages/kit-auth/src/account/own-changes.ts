import { Injectable } from '@nestjs/common';
import { currentExchange, KitAuthContext } from '../context/kit-auth.context.js';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { Principal } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { AccountChange } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import type { LoginAnswer } from '../login/login.flow.js';
import { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { LoginConfirmation } from '../fresh/login.confirmation.js';
import { LoginWays } from './login-ways.js';
import { SessionEnds } from './session-ends.js';

/**
 * The factors that let users change their own factors (`@RequireFresh()`). Recovery codes are among them: users log in
 * with one to replace a lost device.
 */
export const OWN_CHANGES = { factors: 'second-or-recovery' } as const;

/** The current user, who changes their own factors. */
export interface ChangingUser {
  readonly action: AuthAction;
  readonly principal: Principal;
  /**
   * Loads the user again: a stateless token stays valid after a password change, but must no longer change factors.
   *
   * @throws AuthException 40101 when the user is no longer enabled, or the token is from before the security stamp changed
   */
  readonly current: () => Promise<CurrentUser>;
  /**
   * Checks whether a factor can be added to this login, before anything is changed.
   *
   * @param endOthers see `AddedFactor`. Default false
   * @throws AuthException 50100 for `endOthers` without sessions, and those of `LoginConfirmation.require`
   */
  readonly requireAddition: (endOthers?: boolean) => void;
  /**
   * Adds a factor in a transaction of the user store. The login continues with a new token, which has the factor.
   *
   * @param add stores the factor, and notes the event
   * @throws AuthException 40101, those of `LoginConfirmation.confirm`, and what `add` throws
   */
  readonly addFactor: (
    added: AddedFactor,
    add: (change: AccountChange) => Promise<void>,
  ) => Promise<LoginAnswer>;
  /**
   * Adds a way to log in that is not a factor of this login. See `LoginWays.adding`.
   *
   * @throws AuthException 40101, and what `add` throws
   */
  readonly add: <T>(current: CurrentUser, add: (change: AccountChange) => Promise<T>) => Promise<T>;
  /**
   * Removes a factor in a transaction of the user store.
   *
   * @param remove gets whether the user can log in without the factor, and notes the event
   * @throws AuthException 50100 for `endOthers` without sessions, and what `remove` throws
   */
  readonly removeFactor: (
    removed: Omit<AddedFactor, 'stamp'>,
    remove: (change: AccountChange, hasOtherWay: boolean) => Promise<void>,
  ) => Promise<void>;
}

export interface CurrentUser {
  readonly user: LoginUser;
  readonly stamp: string;
}

/** A factor that the current user adds or removes. */
export interface AddedFactor extends CurrentUser {
  /** Its name in `LoginProof.factors`. */
  readonly factor: string;
  /** Whether the other sessions of the user end. */
  readonly endOthers: boolean;
}

type RemovingChange = AccountChange & { readonly hasOtherWay: boolean };

/**
 * Changes of the factors of the current user.
 *
 * @example
 * const change = this.own.begin(); // before the first await
 * const { user } = await change.current();
 * await change.removeFactor({ user, factor: 'device', endOthers: false }, (account) => this.removeDevice(user, account));
 */
@Injectable()
export class OwnChanges {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly logins: ActiveLogins,
    private readonly confirmation: LoginConfirmation,
    private readonly ends: SessionEnds,
    private readonly ways: LoginWays,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  /** Call this before the first `await`. @throws AuthException 40100 when the request has no user */
  begin(): ChangingUser {
    const principal = this.context.principal();
    if (principal === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_MISSING);
    }
    const client = this.context.client();
    const action = this.events.begin();
    const exceptId = this.logins.currentId();
    return {
      action,
      principal,
      current: () => this.current(principal),
      requireAddition: (endOthers = false) => {
        this.confirmation.require(principal);
        this.requireSessions(endOthers);
      },
      add: (current, add) => this.ways.adding(action, { principal, ...current }, add),
      addFactor: async ({ user, stamp, factor, endOthers }, add) => {
        const transaction = <T>(work: (change: AccountChange) => Promise<T>) =>
          this.ways.adding(action, { principal, user, stamp }, work);
        // `confirm` asks too, but after the factor was added.
        const factors = { [factor]: Math.floor(Date.now() / 1000) };
        const shown = { ...principal.proof.factors, ...factors };
        const login = { user, proof: { ...principal.proof, factors: shown } };
        await this.logins.requireWritable(login, currentExchange()?.request);
        await this.ends.change(action, transaction, async (change) => {
          await add(change);
          return endOthers ? this.othersOf(user, exceptId, change) : undefined;
        });
        return this.confirmation
          .confirm(principal, { user, stamp, proof: { factors } }, { action, client })
          .catch(ended);
      },
      removeFactor: async ({ user, factor, endOthers }, remove) => {
        this.requireSessions(endOthers);
        const transaction = <T>(work: (change: RemovingChange) => Promise<T>) =>
          this.ways.removing(action, user, factor, (change, hasOtherWay) => work({ ...change, hasOtherWay }));
        await this.ends.change(action, transaction, async (change) => {
          await remove(change, change.hasOtherWay);
          return endOthers ? this.othersOf(user, exceptId, change) : undefined;
        });
      },
    };
  }

  /** @throws AuthException 50100 if other sessions are to end, and are not known */
  private requireSessions(endOthers: boolean): void {
    if (endOthers) {
      this.logins.sessions();
    }
  }

  private async current(principal: Principal): Promise<CurrentUser> {
    const { userId } = principal.user;
    const stamp = await this.users.stampOf(userId);
    const user = await this.users.loadLoginUser(userId);
    if (stamp === undefined || user === undefined) {
      throw invalidToken('disabled');
    }
    this.provider.requireIssuedFor(principal, stamp);
    return { user, stamp };
  }

  private async othersOf(
    { userId, username }: LoginUser,
    exceptId: string | undefined,
    change: AccountChange,
  ): Promise<{ subjectId: LoginUser['userId']; subject: string; end: () => Promise<void> }> {
    const about = { subjectId: userId, subject: username };
    await change.note({ type: 'sessions-ended', ...about, detail: 'all others', endedSessions: 'all' });
    const options = { exceptId, reason: 'logged-out' } as const;
    return { ...about, end: () => this.logins.endAllOf(userId, options) };
  }
}

/** The user was changed in the meantime. 40110 would mean a wrong password. */
function ended(error: unknown): never {
  throw error instanceof AuthException && error.code === AuthErrorCode.LOGIN_FAILED
    ? invalidToken('revoked')
    : error;
}
