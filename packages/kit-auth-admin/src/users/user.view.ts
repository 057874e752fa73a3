import { type AuthUser, type AuthUserStatus, SUPER_ADMIN } from 'kit-auth/typeorm';

/** A user in answers. Times are ISO 8601 in JSON. */
export interface UserView {
  userId: number;
  username: string;
  nickname: string;
  status: AuthUserStatus;
  superAdmin: boolean;
  /** The codes of the user's roles, without the included ones. */
  roles: string[];
  mustChangePassword: boolean;
  /** End of the lockout of the account or of one of its devices. */
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
