import type { auditApi } from './audit/audit.api.js';
import type { rolesApi } from './roles/roles.api.js';
import type { userSessionsApi } from './sessions/user-sessions.api.js';
import type { userListApi } from './user-list/user-list.api.js';
import type { usersApi } from './users/users.api.js';

/** The endpoint of `KitAuthAuditModule`, for clients with types. */
export type AuditApi = typeof auditApi;
/** The endpoints of `KitAuthAdminModule`, for clients with types. */
export type AdminApi = typeof usersApi & typeof rolesApi & typeof userSessionsApi & AuditApi;
/** The endpoints of `KitAuthUserListModule`, for clients with types. */
export type UserListApi = typeof userListApi & typeof userSessionsApi;
