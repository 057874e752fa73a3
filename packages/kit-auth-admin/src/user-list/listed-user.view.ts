import type { ListedUser, LoginUser, UserId } from 'kit-auth';
import type { AuthUserStatus } from 'kit-auth/typeorm';
import type { Page } from '../input/page.js';

/** A user of any user store, in answers. Null is what the store does not tell. Times are ISO 8601 in JSON. */
export interface ListedUserView {
  userId: UserId;
  username: string;
  nickname: string;
  status: `${AuthUserStatus}`;
  /** Null in lists, and for disabled users. */
  superAdmin: boolean | null;
  roles: string[];
  /** Null in lists, and for disabled users. */
  mustChangePassword: boolean | null;
  /** End of the lockout of the account or of one of its devices. */
  lockedUntil: Date | null;
  /** Null also for the answer to a request for one enabled user. */
  lastLoginAt: Date | null;
  createdAt: null;
  updatedAt: null;
}

/** A page of users of any user store. */
export interface ListedPage extends Omit<Page<ListedUserView>, 'total'> {
  /** Null unless the page is the last one: the store does not tell how many users there are. */
  total: number | null;
}

export function statusOf(enabled: boolean): ListedUserView['status'] {
  return enabled ? 'ENABLED' : 'DISABLED';
}

export function viewOfListed(user: ListedUser, lockedUntil: Date | null): ListedUserView {
  return {
    userId: user.id,
    username: user.username,
    nickname: user.nickname,
    status: statusOf(user.enabled),
    superAdmin: null,
    roles: [...user.roles].sort(),
    mustChangePassword: null,
    lockedUntil,
    lastLoginAt: user.lastLoginAt ?? null,
    createdAt: null,
    updatedAt: null,
  };
}

/** @param user is enabled, because no other user can be loaded */
export function viewOfLoaded(user: LoginUser, lockedUntil: Date | null): ListedUserView {
  return {
    userId: user.userId,
    username: user.username,
    nickname: user.nickname,
    status: statusOf(true),
    superAdmin: user.superAdmin,
    roles: [...user.roles].sort(),
    mustChangePassword: user.mustChangePassword ?? false,
    lockedUntil,
    lastLoginAt: null,
    createdAt: null,
    updatedAt: null,
  };
}
