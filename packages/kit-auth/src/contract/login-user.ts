/** The logged-in user, as a token resolves to it. */
export interface LoginUser {
  userId: number;
  username: string;
  nickname: string;
  /** True for a user bound to the role `SUPER_ADMIN`. */
  superAdmin: boolean;
  /** Role codes, those of included roles among them. */
  roles: string[];
  permissions: string[];
  /** True for a user who may do nothing else before they have a new password. */
  mustChangePassword?: boolean;
}

/** The part of a `LoginUser` that answers carry. */
export type UserSummary = Pick<LoginUser, 'userId' | 'username' | 'nickname' | 'superAdmin'>;

export interface LoginResult {
  token: string;
  user: UserSummary;
}
