export { AuthAudit } from './audit/auth-audit.entity.js';
export { KitAuthAuditModule } from './audit/kit-auth-audit.module.js';
export type { Page } from './input/query.js';
export { KitAuthAdminModule } from './kit-auth-admin.module.js';
export type { KitAuthAdminOptions } from './admin.options.js';
export type { RoleView } from 'kit-auth/typeorm';
export { KitAuthUserListModule } from './user-list/kit-auth-user-list.module.js';
export type { ListedPage, ListedUserView } from './user-list/user-list.api.js';
export type { UserView } from './users/users.api.js';
