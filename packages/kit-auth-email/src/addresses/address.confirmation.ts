import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import {
  type AccountChange,
  type AuthAction,
  AuthEvents,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginUser,
  type NewUsername,
  type UserId,
} from 'kit-auth';
import { ActiveUserStore, type Address, invalidLink } from 'kit-auth/feature';
import { Factors, SessionEnds, summaryOf } from 'kit-auth/login';
import { OneTimeTokens, type PeekedToken } from 'kit-auth/store';
import { addressTaken, type UserAddress, UserAddresses } from '../stores/user-addresses.js';
import { MailQueue } from '../mails/mail.queue.js';
import { VERIFY, type VerifyData } from './address.links.js';
import {
  addressForNotices,
  CHANGE,
  type ChangeData,
  PendingChanges,
  type TokenRequest,
} from './pending-changes.js';

/** Verifies an address with the token of a link. */
@Injectable()
export class AddressConfirmation implements OnModuleInit {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly pending: PendingChanges,
    private readonly addresses: UserAddresses,
    private readonly users: ActiveUserStore,
    private readonly ends: SessionEnds,
    private readonly mails: MailQueue,
    private readonly factors: Factors,
    private readonly events: AuthEvents,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.core.enabled && !this.users.has('changeUsername')) {
      new Logger('KitAuth').log(
        `[auth] off, because the user store ${this.users.get().constructor.name} lacks the method changeUsername: ` +
          'usernames that are addresses do not change with the address',
      );
    }
  }

  /**
   * Verifies the address of the user, or replaces it with the one that the link was sent to.
   *
   * @throws AuthException 40010 for an invalid or expired link, 40900 when another user has the address by now; for
   * changes also the codes of `PendingChanges.admit`
   */
  async confirm(token: string, request: TokenRequest): Promise<void> {
    const action = this.events.begin();
    const peeked = await this.tokens.peek([CHANGE, VERIFY], token);
    await (peeked.purpose === CHANGE
      ? this.change(token, peeked, action, request)
      : this.verify(token, peeked, action));
  }

  private async verify(token: string, peeked: PeekedToken, action: AuthAction): Promise<void> {
    const { key } = peeked.data as VerifyData;
    const { userId, username } = await this.userOf(peeked);
    await this.users.transaction(action, async (change) => {
      await this.tokens.claim(VERIFY, token, change.transaction);
      if (!(await this.addresses.markVerified(userId, key, change.transaction))) {
        throw invalidLink();
      }
      await change.note({ type: 'address-verified', subjectId: userId, subject: username });
    });
  }

  private async change(
    token: string,
    peeked: PeekedToken,
    action: AuthAction,
    request: TokenRequest,
  ): Promise<void> {
    const { address, key, loginId, hadSecondFactor } = peeked.data as ChangeData;
    const liveId = await this.pending.admit(peeked, request);
    const user = await this.userOf(peeked);
    const { userId, username } = user;
    const [former, owner] = await Promise.all([this.addresses.find(userId), this.addresses.findByKey(key)]);
    if (owner !== undefined && owner.userId !== userId) {
      throw addressTaken();
    }
    // A thief of the password may have requested the change. Outside the transaction, because the look-up may need a second
    // connection.
    if (hadSecondFactor !== true && (await this.factors.secondOf(user, true)).names.length > 0) {
      throw invalidLink();
    }
    const update = { username: renamed(username, former, { address, key }), seenStamp: peeked.stamp };
    const changed = { ...user, username: update.username };
    await this.ends.changeOwn(action, changed, {
      reason: 'address-changed',
      exceptId: liveId ?? loginId,
      detail: 'before a new address',
      work: async (change) => {
        await this.users.lockUser(userId, change);
        await this.tokens.claim(CHANGE, token, change.transaction);
        await this.changeUsername(userId, update, change);
        // Not `owner`: someone else may have typed the address that its owner has confirmed.
        const typed = { verified: true, source: 'user' } as const;
        await this.addresses.assign(userId, address, typed, change.transaction);
        await this.tokens.cancel({ userId }, change.transaction);
        await change.note({ type: 'address-changed', subjectId: userId, subject: update.username });
        // Checks again, because the login may have ended in the meantime. Last, because every change locks logins last: another
        // order could deadlock.
        await this.pending.loginOf(peeked);
      },
      committed: () => this.tellFormer(addressForNotices(username, former, { address, key }), changed),
    });
  }

  /** @throws AuthException 40010 when the user was changed since the token was read, 40900 for a taken username */
  private async changeUsername(userId: UserId, update: NewUsername, change: AccountChange): Promise<void> {
    const isCurrent = this.users.has('changeUsername')
      ? await this.users.changeUsername(userId, update, change)
      : (await this.users.stampOf(userId, change)) === update.seenStamp;
    if (!isCurrent) {
      throw invalidLink();
    }
  }

  /** The change is committed, so a full queue must not fail the request. */
  private tellFormer(to: string | undefined, user: LoginUser): void {
    if (to !== undefined) {
      const kind = 'address-changed';
      const about = { kind, subjectId: user.userId, subject: user.username } as const;
      this.mails.tell(about, async () => ({ kind, to, user: summaryOf(user) }), to);
    }
  }

  private async userOf({ userId }: PeekedToken): Promise<LoginUser> {
    const user = userId === undefined ? undefined : await this.users.loadLoginUser(userId);
    if (user === undefined) {
      throw invalidLink();
    }
    return user;
  }
}

/** A username that equals the address changes with it. */
function renamed(username: string, former: UserAddress | undefined, wanted: Address): string {
  return username === former?.key ? wanted.key : username === former?.address ? wanted.address : username;
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'address-verified': true;
    'address-changed': true;
  }
  interface SessionEndReasons {
    'address-changed': true;
  }
}
