import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  BOOLEAN,
  INTEGER,
  listOf,
  objectOf,
  type OperationTables,
  orNull,
  PASSWORD,
  type Schema,
  SESSION,
  TEXT,
  TIME,
} from 'kit-auth/extend';

const { CONFLICT, FRESH_LOGIN_REQUIRED, NOT_IMPLEMENTED } = AuthErrorCode;

const STATUS: Schema = { type: 'string', enum: ['ENABLED', 'DISABLED'] };
const CODES = listOf(TEXT);
const USER = objectOf({
  userId: INTEGER,
  username: TEXT,
  nickname: TEXT,
  status: STATUS,
  superAdmin: BOOLEAN,
  roles: CODES,
  mustChangePassword: BOOLEAN,
  lockedUntil: orNull(TIME),
  lastLoginAt: orNull(TIME),
  createdAt: TIME,
  updatedAt: TIME,
});
const GRANTS = { permissions: listOf(TEXT), includes: CODES };
const ROLE = objectOf({ code: TEXT, name: TEXT, ...GRANTS });
const PAGE = { page: { ...INTEGER, default: 1 }, size: { ...INTEGER, default: 20, maximum: 100 } };

const SESSION_OPERATIONS: OperationTables['operations'] = {
  'GET users/{id}/sessions': {
    operationId: 'kitAuthListUserSessions',
    summary: "Lists a user's sessions, oldest first",
    answer: listOf(SESSION),
    errors: [NOT_IMPLEMENTED],
  },
  'DELETE users/{id}/sessions': {
    operationId: 'kitAuthEndUserSessions',
    summary: 'Ends all sessions of a user, and the API keys unless endKeys is false',
    query: { endKeys: BOOLEAN },
    errors: [NOT_IMPLEMENTED],
  },
  'DELETE users/{id}/sessions/{sessionId}': {
    operationId: 'kitAuthEndUserSession',
    summary: 'Ends a session of a user',
    errors: [NOT_IMPLEMENTED],
  },
};

/** The endpoints for users, sessions and roles. */
export const adminOperations: AuthOperations = () => ({
  operations: {
    'GET users': {
      operationId: 'kitAuthFindUsers',
      summary: 'Searches and lists users, in pages',
      query: { q: TEXT, status: STATUS, role: TEXT, ...PAGE },
      answer: pageOf(USER),
    },
    'POST users': {
      operationId: 'kitAuthCreateUser',
      summary: 'Creates a user. Administrative roles need a fresh login',
      body: objectOf({ username: TEXT, password: PASSWORD, nickname: TEXT, roles: CODES, status: STATUS }, [
        'nickname',
        'roles',
        'status',
      ]),
      answer: USER,
      errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
    },
    'GET users/{id}': {
      operationId: 'kitAuthGetUser',
      summary: 'Returns a user',
      answer: USER,
    },
    'PATCH users/{id}': {
      operationId: 'kitAuthChangeUser',
      summary: "Changes a user's nickname or status. Another status needs a fresh login",
      body: objectOf({ nickname: TEXT, status: STATUS }, ['nickname', 'status']),
      answer: USER,
      errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
    },
    'DELETE users/{id}': {
      operationId: 'kitAuthDeleteUser',
      summary: 'Deletes a user',
      errors: [CONFLICT],
    },
    'PUT users/{id}/roles': {
      operationId: 'kitAuthChangeUserRoles',
      summary: "Replaces a user's roles",
      body: objectOf({ roles: CODES }),
      answer: USER,
      errors: [CONFLICT],
    },
    'POST users/{id}/password': {
      operationId: 'kitAuthResetUserPassword',
      summary: 'Sets a password that the user must change at the next login',
      body: objectOf({ newPassword: PASSWORD }),
    },
    'POST users/{id}/unlock': {
      operationId: 'kitAuthUnlockUser',
      summary: "Clears a user's failed logins, so that they can log in again",
      errors: [CONFLICT],
    },
    ...SESSION_OPERATIONS,
    'GET roles': {
      operationId: 'kitAuthListRoles',
      summary: 'Lists all roles',
      answer: listOf(ROLE),
    },
    'POST roles': {
      operationId: 'kitAuthCreateRole',
      summary: 'Creates a role. Administrative permissions need a fresh login',
      body: objectOf({ code: TEXT, name: TEXT, ...GRANTS }, ['permissions', 'includes']),
      answer: ROLE,
      errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
    },
    'PATCH roles/{code}': {
      operationId: 'kitAuthChangeRole',
      summary: 'Changes a role',
      body: objectOf({ name: TEXT, ...GRANTS }, ['name', 'permissions', 'includes']),
      answer: ROLE,
      errors: [CONFLICT],
    },
    'DELETE roles/{code}': {
      operationId: 'kitAuthDeleteRole',
      summary: 'Deletes a role that is not in use',
      errors: [CONFLICT],
    },
  },
});

/** The endpoints of `KitAuthUserListModule`. */
export const userListOperations: AuthOperations = ({ userId }) => {
  const user = objectOf({
    userId,
    username: TEXT,
    nickname: TEXT,
    status: STATUS,
    superAdmin: orNull(BOOLEAN),
    roles: CODES,
    mustChangePassword: orNull(BOOLEAN),
    lockedUntil: orNull(TIME),
    lastLoginAt: orNull(TIME),
    createdAt: orNull(TIME),
    updatedAt: orNull(TIME),
  });
  return {
    operations: {
      'GET users': {
        operationId: 'kitAuthFindUsers',
        summary: 'Lists users, in pages',
        query: { status: STATUS, ...PAGE },
        answer: pageOf(user, orNull(INTEGER)),
      },
      'GET users/{id}': {
        operationId: 'kitAuthGetUser',
        summary: 'Returns a user',
        answer: user,
      },
      'PATCH users/{id}': {
        operationId: 'kitAuthChangeUser',
        summary: "Changes a user's status. Another status needs a fresh login",
        body: objectOf({ status: STATUS }),
        answer: user,
        errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
      },
      ...SESSION_OPERATIONS,
    },
  };
};

/** The endpoint of `KitAuthAuditModule`. */
export const auditOperations: AuthOperations = ({ userId }) => ({
  operations: {
    'GET audit': {
      operationId: 'kitAuthFindEvents',
      summary: 'Searches and lists the audit log, newest event first, in pages',
      query: { actor: TEXT, subject: TEXT, type: TEXT, from: TIME, to: TIME, ...PAGE },
      answer: pageOf(
        objectOf({
          id: INTEGER,
          type: TEXT,
          at: TIME,
          actorId: orNull(userId),
          actor: orNull(TEXT),
          subjectId: orNull(userId),
          subject: orNull(TEXT),
          success: BOOLEAN,
          detail: orNull(TEXT),
          address: orNull(TEXT),
        }),
      ),
    },
  },
});

function pageOf(item: Schema, total: Schema = INTEGER): Schema {
  return objectOf({ items: listOf(item), page: INTEGER, size: INTEGER, total });
}
