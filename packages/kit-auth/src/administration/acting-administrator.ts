import { Injectable } from '@nestjs/common';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { Principal } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import type { Grants } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, forbidden, invalidToken, notFound } from '../errors/auth.exception.js';
import { FreshLoginChecker } from '../guard/fresh-login.checker.js';
import { ActiveProvider } from '../ports/active.provider.js';
import { type FreshOptions, readFreshOptions } from '../routes/fresh-options.js';
import { hasPermission } from '../routes/permission.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { AdminAuthority } from './admin-authority.js';

/** A user who is about to use a permission on the endpoints of our packages. */
export interface ActingAdministrator {
  readonly action: AuthAction;
  readonly userId: UserId;
  /**
   * Loads the user again, because a stateless token contains the permissions of its login. So a demoted administrator, or
   * a token from before a password change, has no authority.
   *
   * @returns what the user may do now
   * @throws AuthException 40101 when the user is no longer enabled, or the token is from before their security stamp
   * changed; 40300 when they no longer have the permission; 40301 when they must choose a new password
   */
  authority(): Promise<AdminAuthority>;
  /**
   * Like `@RequireFresh(options)`, for endpoints where only some requests need a fresh login. `AdminAuthority.requireGrant()`
   * does it by itself. Does nothing if the implementation does not record how users logged in (`keepsProof`).
   *
   * @throws AuthException 40120 with the factors to show
   */
  requireFresh(options?: FreshOptions): Promise<void>;
  /**
   * An actor cannot change the account of the administrator they act as.
   *
   * @throws AuthException 40300
   */
  requireOther(id: UserId): void;
  /**
   * @param text the id of a user in the path
   * @throws AuthException 40400 for a string that no id can be, and that of `requireOther()`
   */
  idFrom(text: string): UserId;
  /**
   * Checks whether the administrator may change what a user has. Disabled users cannot be loaded, but may have something.
   *
   * @param text the id of the user in the path
   * @param hasAny whether a user who cannot be loaded has something to change
   * @param own what changes of the administrator's own account require besides. Default: nothing
   * @returns for a user who cannot be loaded, the id is the name
   * @throws AuthException 40400 for unknown users, and for disabled users without anything; 40120 for the own account;
   * 40300 for users with administrative permissions that the administrator lacks, and for disabled users unless the
   * administrator is a super administrator; and those of `authority()`
   */
  reach(
    text: string,
    hasAny: (userId: UserId) => Promise<boolean>,
    own?: FreshOptions,
  ): Promise<Pick<LoginUser, 'userId' | 'username'>>;
  /** Runs work. If it throws 40300, publishes the event `access-denied`. */
  noting<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Determines what the current user may do as an administrator.
 *
 * @example
 * const administrator = this.administrators.begin('auth:user:write'); // before the first await
 * await administrator.noting(async () => {
 *   (await administrator.authority()).require(target); // the LoginUser to manage
 *   await this.change(target);
 * });
 */
@Injectable()
export class ActingAdministrators {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
    private readonly freshLogins: FreshLoginChecker,
  ) {}

  /**
   * Begins an action of the current user. Call this before the first `await`.
   *
   * @param permission the user must still have it when `authority()` checks
   * @param options `freshLogins: false` turns off `requireFresh()`, also in `AdminAuthority.requireGrant()`
   * @throws AuthException 40100 when the request has no user
   */
  begin(permission: string, { freshLogins = true } = {}): ActingAdministrator {
    const action = this.events.begin();
    const principal = this.context.principal();
    if (action.user === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_MISSING);
    }
    const { userId } = action.user;
    const asked = freshLogins ? principal : undefined;
    const authority = async () =>
      new AdminAuthority(await this.loaded(userId, principal, permission), () =>
        this.freshLogins.require(asked),
      );
    const requireFresh = (options?: FreshOptions) =>
      this.freshLogins.require(asked, { kind: 'fresh', ...readFreshOptions(options) });
    const isActing = principal?.proof.actor !== undefined && !permission.endsWith(':read');
    const requireOther = (id: UserId) => {
      if (isActing && id === userId) {
        throw forbidden('Only the user can do this');
      }
    };
    const idFrom = (text: string) => {
      const id = this.users.idFrom(text);
      if (id === undefined) {
        throw notFound('User');
      }
      requireOther(id);
      return id;
    };
    return {
      action,
      userId,
      authority,
      requireFresh,
      requireOther,
      idFrom,
      reach: async (text, hasAny, own) => {
        const reachable = await authority();
        const id = idFrom(text);
        if (own !== undefined && id === userId) {
          await requireFresh(own);
        }
        const user = await this.users.loadLoginUser(id);
        if (user === undefined && !(await hasAny(id))) {
          throw notFound('User');
        }
        reachable.require(user);
        return user ?? { userId: id, username: text };
      },
      noting: (work) => notingRefusals(action, work),
    };
  }

  /**
   * The permissions of the current user at this moment, for pages. Call this before the first `await`.
   *
   * @throws AuthException those of `begin()`, and of `authority()` but 40300
   */
  async grants(): Promise<Grants> {
    const principal = this.context.principal();
    const { userId } = this.context.getOrThrow();
    return this.loaded(userId, principal);
  }

  /** @param permission what the user must have. Default: nothing */
  private async loaded(
    userId: UserId,
    principal: Principal | undefined,
    permission?: string,
  ): Promise<Grants> {
    const user = await this.users.loadLoginUser(userId);
    requireAdministrator(user, permission);
    if (principal === undefined) {
      return user;
    }
    this.provider.requireIssuedFor(principal, await this.users.stampOf(userId));
    return this.provider.hasResolved(principal) ? user : limitedTo(principal.user, user);
  }
}

function requireAdministrator(user: LoginUser | undefined, permission?: string): asserts user {
  if (user === undefined) {
    throw invalidToken('disabled');
  }
  if (permission !== undefined && !hasPermission(user, permission)) {
    throw new AuthException(AuthErrorCode.FORBIDDEN, {
      message: `The user lacks the permission ${permission}`,
    });
  }
  if (user.mustChangePassword) {
    throw new AuthException(AuthErrorCode.PASSWORD_CHANGE_REQUIRED);
  }
}

/** A credential, such as an API key, may have fewer permissions than its owner. */
function limitedTo({ superAdmin, permissions }: Grants, owner: Grants): Grants {
  return {
    superAdmin: superAdmin && owner.superAdmin,
    permissions: permissions.filter((permission) => hasPermission(owner, permission)),
  };
}

async function notingRefusals<T>(action: AuthAction, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthException && error.code === AuthErrorCode.FORBIDDEN) {
      action.note({ type: 'access-denied', success: false, detail: error.message });
    }
    throw error;
  }
}
