import { Injectable } from '@nestjs/common';
import {
  type AuthAction,
  AuthEvents,
  KitAuthContext,
  type LoginProof,
  type LoginStep,
  type LoginUser,
  type VerifiedLogin,
} from 'kit-auth';
import { ActiveUserStore, invalidLink } from 'kit-auth/feature';
import { LoginThrottle, NewPasswords, SessionEnds } from 'kit-auth/login';
import { OneTimeTokens } from 'kit-auth/store';
import { UserAddresses } from '../stores/user-addresses.js';
import { RESET, type ResetData } from './reset.links.js';

/** After a reset, logins with the password also count as logins by mail for this time. */
const MINUTES = 10;

/** The user whose password a token resets. */
interface Target {
  readonly user: LoginUser;
  /** The key of the address that the link was sent to. */
  readonly key: string;
  readonly stamp: string;
}

/** The event of the first reset with an address that its user has typed. */
const FIRST = {
  endsFactors: true,
  detail: 'first proof of the address: all factors and identities removed',
} as const;

/** Sets a new password with the token of a link. Does not log the user in. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly addresses: UserAddresses,
    private readonly users: ActiveUserStore,
    private readonly passwords: NewPasswords,
    private readonly ends: SessionEnds,
    private readonly throttle: LoginThrottle,
    private readonly events: AuthEvents,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * Sets the password, and ends all sessions of the user. If the user has typed the address, the first reset proves its owner, and removes all factors: someone else may have added
   * them. If the password is not allowed, the token stays usable,
   * and the attempt does not count.
   *
   * @throws AuthException 40010 for a link that is invalid, expired or was tried too often, 40000 when the password is not allowed,
   * 50300 when the queue for hashes is full
   */
  async reset(token: string, newPassword: string): Promise<void> {
    const action = this.events.begin();
    const client = this.context.client();
    const found = await this.find(token);
    const { username } = found.user;
    await this.passwords.check(newPassword, username);
    await this.tokens.attempting(RESET, token, async () => {
      const passwordHash = await this.passwords.hash(newPassword, username, client);
      await this.set(passwordHash, token, found, action);
    });
  }

  private async set(
    passwordHash: string,
    token: string,
    { user, key, stamp }: Target,
    action: AuthAction,
  ): Promise<void> {
    const { userId, username } = user;
    const about = { type: 'password-reset', subjectId: userId, subject: username } as const;
    // A store without transactions removes the factors after the change.
    const isJoined = this.users.has('transaction');
    await this.ends.changeOwn(action, user, {
      reason: 'password-changed',
      endsKeys: true,
      work: async (change) => {
        await this.users.lockUser(userId, change);
        await this.tokens.claim(RESET, token, change.transaction);
        const isChanged = await this.users.changePassword(userId, { passwordHash, seenStamp: stamp }, change);
        const address = await this.addresses.findByKey(key, change.transaction);
        if (!isChanged || address?.userId !== userId) {
          throw invalidLink();
        }
        // Before the factors: a registration of a passkey that has used its token has stored the passkey by then.
        await this.tokens.cancel({ userId }, change.transaction);
        await change.note(address.source === 'user' ? { ...about, ...FIRST } : about);
        // Last: if factors could not be removed, the next reset has to try again.
        if (!(await this.addresses.markReset(userId, key, isJoined, change.transaction))) {
          throw invalidLink();
        }
      },
      committed: () => this.unlock(user, action),
    });
    if (!isJoined) {
      await this.addresses.markReset(userId, key, true);
    }
  }

  /** @throws AuthException 40010, also when the link was sent to an address that the user no longer has */
  private async find(token: string): Promise<Target> {
    const { userId, data, stamp } = await this.tokens.peek(RESET, token);
    const { key } = data as ResetData;
    const [user, address] = await Promise.all([
      userId === undefined ? undefined : this.users.loadLoginUser(userId),
      userId === undefined ? undefined : this.addresses.find(userId),
    ]);
    if (user === undefined || address?.key !== key) {
      throw invalidLink();
    }
    return { user, key, stamp };
  }

  /** The password is already changed, so a failure of the throttle must not fail the request. */
  private async unlock({ userId, username }: LoginUser, action: AuthAction): Promise<void> {
    try {
      await this.throttle.unlock(username);
    } catch {
      const about = { subjectId: userId, subject: username };
      action.note({ type: 'user-unlocked', ...about, success: false, detail: 'the throttle failed' });
    }
  }
}

/**
 * Adds the factor `email` to a login with a password that a link has just set, so that users can replace a lost passkey that logins
 * do not ask for.
 */
@Injectable()
export class ResetStep implements LoginStep {
  constructor(private readonly addresses: UserAddresses) {}

  async afterFirstFactor({ user, proof }: VerifiedLogin): Promise<LoginProof | undefined> {
    if (proof.factors['password'] === undefined) {
      return undefined;
    }
    const resetAt = (await this.addresses.find(user.userId))?.resetAt?.getTime();
    return resetAt === undefined || Date.now() - resetAt > MINUTES * 60_000
      ? undefined
      : { ...proof, factors: { ...proof.factors, email: Math.floor(resetAt / 1000) } };
  }
}
