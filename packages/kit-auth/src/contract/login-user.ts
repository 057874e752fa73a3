import type { UserData, UserId } from './user-id.js';

/** The logged-in user, as a token resolves to it. */
export interface LoginUser {
  userId: UserId;
  username: string;
  nickname: string;
  /** True for a user with the role `SUPER_ADMIN`. */
  superAdmin: boolean;
  /** Role codes, including those of included roles. */
  roles: string[];
  /** Permissions, for example `note:read` or `note:*`. */
  permissions: string[];
  /** True for a user who must choose a new password before anything else. */
  mustChangePassword?: boolean;
  /**
   * Fields of the application, which `AuthUserStore.loadLoginUser()` adds. They are JSON values, and frozen. With
   * `kit-auth-jwt`, users of tokens have only the fields that `kit.auth.jwt.data` names. No answer, event or log of
   * this package contains them.
   */
  data?: UserData | undefined;
}

/** The part of a `LoginUser` that answers contain. */
export type UserSummary = Pick<LoginUser, 'userId' | 'username' | 'nickname' | 'superAdmin'>;

/** The answer to a login. */
export interface LoginResult {
  token: string;
  user: UserSummary;
}
