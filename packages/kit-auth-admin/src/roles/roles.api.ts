import { AuthErrorCode } from 'kit-auth';
import { endpoints, list, object, optional, TEXT } from 'kit-auth/feature';
import { DISPLAY_NAME, PERMISSIONS, ROLE_CODE, ROLE_CODES } from '../input/body.js';

const { CONFLICT, FRESH_LOGIN_REQUIRED } = AuthErrorCode;

const ROLE = object({ code: TEXT, name: TEXT, permissions: list(TEXT), includes: list(TEXT) });
const GRANTS = { permissions: optional(PERMISSIONS), includes: optional(ROLE_CODES) };

const section = 'roles';
const permission = 'auth:role:write';

export const rolesApi = endpoints({
  'GET roles': {
    id: 'kitAuthListRoles',
    summary: 'Lists all roles',
    permission: 'auth:role:read',
    answer: list(ROLE),
    section,
  },
  'POST roles': {
    id: 'kitAuthCreateRole',
    summary: 'Creates a role. Administrative permissions need a fresh login',
    permission,
    body: { code: ROLE_CODE, name: DISPLAY_NAME, ...GRANTS },
    answer: ROLE,
    errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
    section,
  },
  'PATCH roles/{code}': {
    id: 'kitAuthChangeRole',
    summary: 'Changes a role',
    permission,
    fresh: true,
    body: { name: optional(DISPLAY_NAME), ...GRANTS },
    answer: ROLE,
    errors: [CONFLICT],
    section,
  },
  'DELETE roles/{code}': {
    id: 'kitAuthDeleteRole',
    summary: 'Deletes a role that is not in use',
    permission,
    fresh: true,
    errors: [CONFLICT],
    section,
  },
});
