import bcrypt from 'bcrypt';
import type { KitAuthSettings } from 'kit-auth';
import { AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';

/** Tells the reader where to find the password of the administrator. */
export type AdministratorPassword = 'built-in' | 'environment' | 'changed';

/** The settings name the password that an administrator is created with; it may have been changed since. */
export async function administratorPassword(
  dataSource: DataSource,
  { enabled, defaultAdminUsername: username, defaultAdminPassword: password }: KitAuthSettings,
): Promise<AdministratorPassword> {
  const user = enabled
    ? await dataSource
        .getRepository(AuthUser)
        .createQueryBuilder('user')
        .addSelect('user.passwordHash')
        .where({ username, status: AuthUserStatus.ENABLED, mustChangePassword: false })
        .getOne()
    : null;
  const hash = user?.passwordHash ?? undefined;
  if (hash === undefined || !(await bcrypt.compare(password, hash))) {
    return 'changed';
  }
  return process.env['KIT_AUTH_DEFAULT_ADMIN_PASSWORD'] === undefined ? 'built-in' : 'environment';
}
