import { type AuthUser, type AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';

/** A user as administrators see it. Times are ISO 8601 in answers. */
export interface UserView {
  userId: number;
  username: string;
  nickname: string;
  status: AuthUserStatus;
  superAdmin: boolean;
  /** The codes of the roles that it is bound to. */
  roles: string[];
  mustChangePassword: boolean;
  /** Until when the account, or a known device of it, is locked out after too many wrong passwords. */
  lockedUntil: Date | null;
  lastLoginAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export function viewOf(user: AuthUser, lockedUntil: Date | null): UserView {
  const roles = user.roles.map(({ code }) => code).sort();
  return {
    userId: user.id,
    username: user.username,
    nickname: user.nickname,
    status: user.status,
    superAdmin: roles.includes(SUPER_ADMIN),
    roles,
    mustChangePassword: user.mustChangePassword,
    lockedUntil,
    lastLoginAt: user.lastLoginAt,
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
  };
}
