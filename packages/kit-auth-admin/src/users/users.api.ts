import { AuthErrorCode } from 'kit-auth';
import {
  BOOLEAN,
  endpoints,
  INTEGER,
  list,
  object,
  optional,
  orNull,
  type ServerOf,
  TEXT,
  TIME,
} from 'kit-auth/feature';
import { DISPLAY_NAME, NEW_PASSWORD, ROLE_CODES, STATUS } from '../input/body.js';
import { PAGE, pageOf, TEXT_PARAMETER } from '../input/query.js';

const { CONFLICT, FRESH_LOGIN_REQUIRED } = AuthErrorCode;

const USER_VIEW = {
  userId: INTEGER,
  username: TEXT,
  nickname: TEXT,
  status: STATUS,
  superAdmin: BOOLEAN,
  /** The codes of the user's roles, without the included ones. */
  roles: list(TEXT),
  mustChangePassword: BOOLEAN,
  /** End of the lockout of the account or of one of its devices. */
  lockedUntil: orNull(TIME),
  lastLoginAt: orNull(TIME),
  createdAt: TIME,
  updatedAt: TIME,
};

/** A user in answers. Times are ISO 8601 in JSON. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface UserView extends ServerOf<typeof USER_VIEW> {}
const USER = object(USER_VIEW);
/** Unchecked: an unknown status finds no user. */
const STATUS_PARAMETER = { ...TEXT_PARAMETER, json: STATUS.json };
const CHANGE = { nickname: optional(DISPLAY_NAME), status: optional(STATUS) };

const section = 'users';
const permission = 'auth:user:write';

export const usersApi = endpoints({
  'GET users': {
    id: 'kitAuthFindUsers',
    summary: 'Searches and lists users, in pages',
    permission: 'auth:user:read',
    query: { q: TEXT_PARAMETER, status: STATUS_PARAMETER, role: TEXT_PARAMETER, ...PAGE },
    answer: pageOf(USER, INTEGER),
    section,
  },
  'POST users': {
    id: 'kitAuthCreateUser',
    summary: 'Creates a user. Administrative roles need a fresh login',
    permission,
    body: {
      username: DISPLAY_NAME,
      password: NEW_PASSWORD,
      nickname: CHANGE.nickname,
      roles: optional(ROLE_CODES),
      status: CHANGE.status,
    },
    answer: USER,
    errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
    section,
  },
  'GET users/{id}': {
    id: 'kitAuthGetUser',
    summary: 'Returns a user',
    permission: 'auth:user:read',
    answer: USER,
    section,
  },
  'PATCH users/{id}': {
    id: 'kitAuthChangeUser',
    summary: "Changes a user's nickname or status. Another status needs a fresh login",
    permission,
    body: CHANGE,
    answer: USER,
    errors: [FRESH_LOGIN_REQUIRED, CONFLICT],
    section,
  },
  'DELETE users/{id}': {
    id: 'kitAuthDeleteUser',
    summary: 'Deletes a user',
    permission,
    fresh: true,
    errors: [CONFLICT],
    section,
  },
  'PUT users/{id}/roles': {
    id: 'kitAuthChangeUserRoles',
    summary: "Replaces a user's roles",
    permission,
    fresh: true,
    body: { roles: ROLE_CODES },
    answer: USER,
    errors: [CONFLICT],
    section,
  },
  'POST users/{id}/password': {
    id: 'kitAuthResetUserPassword',
    summary: 'Sets a password that the user must change at the next login',
    permission,
    fresh: true,
    body: { newPassword: NEW_PASSWORD },
    section,
  },
  'POST users/{id}/unlock': {
    id: 'kitAuthUnlockUser',
    summary: "Clears a user's failed logins, so that they can log in again",
    permission,
    fresh: true,
    errors: [CONFLICT],
    section,
  },
});
