import { AuthErrorCode } from 'kit-auth';
import {
  BOOLEAN,
  describeOperations,
  type DocumentOptions,
  INTEGER,
  listOf,
  objectOf,
  type OpenApiDocument,
  type Operation,
  PASSWORD,
  type Schema,
  SESSION,
  TEXT,
  TIME,
} from 'kit-auth/openapi';

const { BAD_REQUEST, CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, NOT_FOUND, NOT_IMPLEMENTED } = AuthErrorCode;

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

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET users': {
    operationId: 'kitAuthFindUsers',
    summary: 'Searches and lists users, in pages (auth:user:read)',
    query: { q: TEXT, status: STATUS, role: TEXT, ...PAGE },
    status: 200,
    answer: pageOf(USER),
    errors: [BAD_REQUEST, FORBIDDEN],
  },
  'POST users': {
    operationId: 'kitAuthCreateUser',
    summary: 'Creates a user (auth:user:write). Administrative roles need a fresh login',
    body: objectOf({ username: TEXT, password: PASSWORD, nickname: TEXT, roles: CODES, status: STATUS }, [
      'nickname',
      'roles',
      'status',
    ]),
    status: 201,
    answer: USER,
    errors: [FRESH_LOGIN_REQUIRED, BAD_REQUEST, FORBIDDEN, CONFLICT],
  },
  'GET users/{id}': {
    operationId: 'kitAuthGetUser',
    summary: 'Returns a user (auth:user:read)',
    status: 200,
    answer: USER,
    errors: [FORBIDDEN, NOT_FOUND],
  },
  'PATCH users/{id}': {
    operationId: 'kitAuthChangeUser',
    summary: "Changes a user's nickname or status (auth:user:write). Another status needs a fresh login",
    body: objectOf({ nickname: TEXT, status: STATUS }, ['nickname', 'status']),
    status: 200,
    answer: USER,
    errors: [FRESH_LOGIN_REQUIRED, BAD_REQUEST, FORBIDDEN, NOT_FOUND, CONFLICT],
  },
  'DELETE users/{id}': {
    operationId: 'kitAuthDeleteUser',
    summary: 'Deletes a user (auth:user:write)',
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, NOT_FOUND, CONFLICT],
  },
  'PUT users/{id}/roles': {
    operationId: 'kitAuthChangeUserRoles',
    summary: "Replaces a user's roles (auth:user:write)",
    body: objectOf({ roles: CODES }),
    status: 200,
    answer: USER,
    errors: [FRESH_LOGIN_REQUIRED, BAD_REQUEST, FORBIDDEN, NOT_FOUND, CONFLICT],
  },
  'POST users/{id}/password': {
    operationId: 'kitAuthResetUserPassword',
    summary: 'Sets a password that the user must change at the next login (auth:user:write)',
    body: objectOf({ newPassword: PASSWORD }),
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, BAD_REQUEST, FORBIDDEN, NOT_FOUND],
  },
  'POST users/{id}/unlock': {
    operationId: 'kitAuthUnlockUser',
    summary: "Clears a user's failed logins, so that they can log in again (auth:user:write)",
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, NOT_FOUND, CONFLICT],
  },
  'GET users/{id}/sessions': {
    operationId: 'kitAuthListUserSessions',
    summary: "Lists a user's sessions, oldest first (auth:session:read)",
    status: 200,
    answer: listOf(SESSION),
    errors: [FORBIDDEN, NOT_FOUND, NOT_IMPLEMENTED],
  },
  'DELETE users/{id}/sessions': {
    operationId: 'kitAuthEndUserSessions',
    summary: 'Ends all sessions of a user, and the API keys unless endKeys is false (auth:session:end)',
    query: { endKeys: BOOLEAN },
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, NOT_FOUND, NOT_IMPLEMENTED],
  },
  'DELETE users/{id}/sessions/{sessionId}': {
    operationId: 'kitAuthEndUserSession',
    summary: 'Ends a session of a user (auth:session:end)',
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, NOT_FOUND, NOT_IMPLEMENTED],
  },
  'GET roles': {
    operationId: 'kitAuthListRoles',
    summary: 'Lists all roles (auth:role:read)',
    status: 200,
    answer: listOf(ROLE),
    errors: [FORBIDDEN],
  },
  'POST roles': {
    operationId: 'kitAuthCreateRole',
    summary: 'Creates a role (auth:role:write). Administrative permissions need a fresh login',
    body: objectOf({ code: TEXT, name: TEXT, ...GRANTS }, ['permissions', 'includes']),
    status: 201,
    answer: ROLE,
    errors: [FRESH_LOGIN_REQUIRED, BAD_REQUEST, FORBIDDEN, CONFLICT],
  },
  'PATCH roles/{code}': {
    operationId: 'kitAuthChangeRole',
    summary: 'Changes a role (auth:role:write)',
    body: objectOf({ name: TEXT, ...GRANTS }, ['name', 'permissions', 'includes']),
    status: 200,
    answer: ROLE,
    errors: [FRESH_LOGIN_REQUIRED, BAD_REQUEST, FORBIDDEN, NOT_FOUND, CONFLICT],
  },
  'DELETE roles/{code}': {
    operationId: 'kitAuthDeleteRole',
    summary: 'Deletes a role that is not in use (auth:role:write)',
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, NOT_FOUND, CONFLICT],
  },
};

const eventOf = (userId: Schema) =>
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
  });

const auditOf = (userId: Schema): Readonly<Record<string, Operation>> => ({
  'GET audit': {
    operationId: 'kitAuthFindEvents',
    summary: 'Searches and lists the audit log, newest event first, in pages (auth:audit:read)',
    query: { actor: TEXT, subject: TEXT, type: TEXT, from: TIME, to: TIME, ...PAGE },
    status: 200,
    answer: pageOf(eventOf(userId)),
    errors: [BAD_REQUEST, FORBIDDEN],
  },
});

/**
 * Describes the endpoints of this package in an OpenAPI document: bodies, queries, answers and error codes.
 *
 * @example
 * ```ts
 * const document = SwaggerModule.createDocument(app, config);
 * documentKitAuthAdmin(documentKitAuth(document));
 * ```
 *
 * @returns the same document
 */
export function documentKitAuthAdmin<T extends OpenApiDocument>(
  document: T,
  { idType = 'number', ...options }: DocumentOptions = {},
): T {
  const operations = { ...OPERATIONS, ...auditOf(idType === 'string' ? TEXT : INTEGER) };
  return describeOperations(document, operations, options);
}

function pageOf(item: Schema): Schema {
  return objectOf({ items: listOf(item), page: INTEGER, size: INTEGER, total: INTEGER });
}

function orNull(schema: Schema): Schema {
  return { ...schema, nullable: true };
}
