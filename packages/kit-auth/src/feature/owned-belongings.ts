import type { InjectionToken } from '@nestjs/common';
import { type ActingAdministrator, ActingAdministrators } from '../administration/acting-administrator.js';
import { LoginWays } from '../account/login-ways.js';
import { OWN_CHANGES, OwnChanges } from '../account/own-changes.js';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { AuthAction, AuthEvent, AuthEventTypes } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { SessionEndReason } from '../contract/auth-sessions.js';
import type { LoginUser } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import type { AccountChange } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, notFound } from '../errors/auth.exception.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** Something that a user owns. */
export interface OwnedItem {
  readonly id: string;
}

/** The store of a package for what users own. */
export interface OwnedStore<T extends OwnedItem> {
  /** Oldest first. */
  listOf(userId: UserId): Promise<T[]>;
  /** The same for their owner, who may see more of them. Default: `listOf()`. */
  listOwn?(userId: UserId): Promise<object[]>;
  /**
   * Removes an item of a user, or all of them. Calls `removal.allow` first.
   *
   * @param transaction of the change
   * @returns the removed items; none if the user has no such item
   */
  remove(userId: UserId, removal: Removal<T>, transaction: unknown): Promise<readonly T[]>;
  /** Removes everything that belongs to a deleted user. Default: `remove()`. */
  removeAllOf?(userId: UserId, transaction: unknown): Promise<unknown>;
}

/** A removal of things of one user. */
export interface Removal<T> {
  /** Default: everything. */
  readonly id?: string | undefined;
  readonly reason: SessionEndReason;
  /** Call it with all items of the user, while they are locked, before any is removed. It throws to refuse the removal. */
  readonly allow?: (all: readonly T[]) => void;
}

/** The rules of what users own. */
export interface OwnershipRules<T extends OwnedItem> {
  /** The word in paths, commands and messages, such as `key`. */
  readonly one: string;
  /** Its plural. */
  readonly many: string;
  /** Permissions of administrators. */
  readonly permissions: {
    readonly read: `auth:${string}:read`;
    readonly change: `auth:${string}:${'write' | 'end'}`;
  };
  /**
   * Set it if users log in with the items. Then owners need a fresh login to remove one and cannot remove their last way to log
   * in, and all sessions of a user end when an administrator removes one.
   */
  readonly factor?: {
    /** Its name in `LoginProof.factors`. */
    readonly name: string;
    /** The message for the last way to log in. */
    readonly last: string;
    /** Whether the user can log in with the item. Default: yes. */
    readonly isUsable?: (item: T) => boolean;
  };
  /** The event of a removal. */
  readonly event: keyof AuthEventTypes;
  readonly detailOf: (removed: readonly T[], isAll: boolean) => string | undefined;
  /**
   * Why an event removes everything of its user; undefined if it does not. Default: the deletion of the user does. With
   * `factor`, events with `endsFactors` must do so too.
   */
  readonly endedBy?: (event: AuthEvent) => SessionEndReason | undefined;
  /** Whether a string in a path can be an id. Default: any string. */
  readonly isId?: (text: string) => boolean;
}

type Owner = Pick<LoginUser, 'userId' | 'username'>;

/** The parts of the core that `OwnedBelongings` needs, to inject. */
export const PARTS = [
  ActiveUserStore,
  ActingAdministrators,
  OwnChanges,
  LoginWays,
  KitAuthContext,
  AuthEvents,
] as const satisfies readonly InjectionToken[];

/** Lists and removes what users own, for owners, administrators and commands. */
export class OwnedBelongings<T extends OwnedItem> {
  /** @internal */
  constructor(
    private readonly rules: OwnershipRules<T>,
    private readonly store: OwnedStore<T>,
    private readonly users: ActiveUserStore,
    private readonly administrators: ActingAdministrators,
    private readonly own: OwnChanges,
    private readonly ways: LoginWays,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  /** Oldest first. */
  listOf(userId: UserId): Promise<T[]> {
    return this.store.listOf(userId);
  }

  /** The items of the current user. */
  listOwn(): Promise<object[]> {
    const { userId } = this.context.getOrThrow();
    return this.store.listOwn?.(userId) ?? this.store.listOf(userId);
  }

  /**
   * Removes an item of the current user.
   *
   * @param endOthers whether the other sessions of the user end, for a factor
   * @throws AuthException 40400; for a factor also 40101, 50100 for `endOthers` without sessions, and 40900 with the reason
   * `last`
   */
  async removeOwn(id: string, endOthers = false): Promise<void> {
    this.requireId(id);
    const { factor } = this.rules;
    const reason = 'logged-out';
    if (factor === undefined) {
      const user = this.context.getOrThrow();
      await this.users.transaction(this.events.begin(), (change) =>
        this.removeIn(change, user, { id, reason }),
      );
      return;
    }
    const changing = this.own.begin();
    const { user } = await changing.current();
    await changing.removeFactor({ user, factor: factor.name, endOthers }, async (change, hasOtherWay) => {
      const allow = (all: readonly T[]) => {
        const isOwn = all.some((item) => item.id === id);
        const others = all.filter((item) => item.id !== id && (factor.isUsable?.(item) ?? true));
        if (isOwn && !hasOtherWay && others.length === 0) {
          throw AuthException.refusal(AuthErrorCode.CONFLICT, { reason: 'last', message: factor.last });
        }
      };
      await this.removeIn(change, user, { id, reason, allow });
    });
  }

  /** @throws AuthException 40400 for unknown users, and for disabled users without anything; 40300, 40101 */
  listFor(text: string): Promise<T[]> {
    const administrator = this.administrators.begin(this.rules.permissions.read);
    return administrator.noting(async () => {
      if (this.rules.factor === undefined) {
        return this.store.listOf((await this.reach(administrator, text)).userId);
      }
      await administrator.authority();
      const userId = administrator.idFrom(text);
      const items = await this.store.listOf(userId);
      if (items.length === 0 && (await this.users.loadLoginUser(userId)) === undefined) {
        throw notFound('User');
      }
      return items;
    });
  }

  /**
   * @param id default: everything
   * @throws AuthException 40120 for the own factors of an administrator, without a fresh second factor; 40400, 40300, 40101
   */
  removeFor(text: string, id?: string): Promise<void> {
    const administrator = this.administrators.begin(this.rules.permissions.change);
    return administrator.noting(async () => {
      await this.remove(administrator.action, await this.reach(administrator, text), id);
    });
  }

  /** Also removes the last way to log in. @returns the removed items. @throws AuthException 40400 */
  async remove(action: AuthAction, owner: Owner, id?: string): Promise<readonly T[]> {
    this.requireId(id);
    const { factor, many } = this.rules;
    const removal = { id, reason: 'kicked' } as const;
    if (factor === undefined) {
      return this.users.transaction(action, (change) => this.removeIn(change, owner, removal));
    }
    // Before any session ends.
    if (id !== undefined && !(await this.store.listOf(owner.userId)).some((item) => item.id === id)) {
      throw this.unknown();
    }
    let removed: readonly T[] = [];
    await this.ways.revoking(action, owner, many, async (change) => {
      removed = await this.removeIn(change, owner, removal, { endedSessions: 'all' });
    });
    return removed;
  }

  /** @internal Removes what ends with an event, in its transaction. */
  async keep(event: AuthEvent, transaction: unknown): Promise<void> {
    const { endedBy = deletion } = this.rules;
    const reason = event.success ? endedBy(event) : undefined;
    if (reason !== undefined && event.subjectId !== null) {
      const { subjectId } = event;
      await (this.store.removeAllOf?.(subjectId, transaction) ??
        this.store.remove(subjectId, { reason }, transaction));
    }
  }

  private async removeIn(
    change: AccountChange,
    { userId, username }: Owner,
    removal: Removal<T>,
    more: { readonly endedSessions?: 'all' } = {},
  ): Promise<readonly T[]> {
    const { event: type, detailOf, factor } = this.rules;
    const isAll = removal.id === undefined;
    const removed = await this.store.remove(userId, removal, change.transaction);
    if (removed.length === 0 && !isAll) {
      throw this.unknown();
    }
    // Without items, the sessions of a factor end all the same.
    if (removed.length > 0 || factor !== undefined) {
      const detail = detailOf(removed, isAll);
      const about = { subjectId: userId, subject: username, ...more };
      await change.note({ type, ...about, ...(detail !== undefined && { detail }) });
    }
    return removed;
  }

  private reach(administrator: ActingAdministrator, text: string): Promise<Owner> {
    const hasAny = async (userId: UserId) => (await this.store.listOf(userId)).length > 0;
    return administrator.reach(text, hasAny, this.rules.factor && OWN_CHANGES);
  }

  /** Before a transaction, which costs half a millisecond. */
  private requireId(id: string | undefined): void {
    if (id !== undefined && this.rules.isId?.(id) === false) {
      throw this.unknown();
    }
  }

  private unknown(): AuthException {
    return notFound(capitalized(this.rules.one));
  }
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function deletion({ type }: AuthEvent): SessionEndReason | undefined {
  return type === 'user-deleted' ? 'disabled' : undefined;
}
