import { AuthErrorCode, type UserId } from 'kit-auth';
import {
  BOOLEAN,
  endpoints,
  INTEGER,
  list,
  object,
  orNull,
  type ServerOf,
  TEXT,
  TIME,
  value,
} from 'kit-auth/feature';
import { STATUS } from '../input/body.js';
import { PAGE, type Page, pageOf, parameter, unsupported } from '../input/query.js';

/** Null, because user stores do not tell. */
const UNTOLD = value<null>({ type: 'string', format: 'date-time', nullable: true });
const USER_VIEW = {
  userId: value<UserId>(({ userId }) => userId),
  username: TEXT,
  nickname: TEXT,
  status: STATUS,
  /** Null in lists, and for disabled users. */
  superAdmin: orNull(BOOLEAN),
  roles: list(TEXT),
  /** Null in lists, and for disabled users. */
  mustChangePassword: orNull(BOOLEAN),
  /** End of the lockout of the account or of one of its devices. */
  lockedUntil: orNull(TIME),
  /** Null also in the answer about one enabled user. */
  lastLoginAt: orNull(TIME),
  createdAt: UNTOLD,
  updatedAt: UNTOLD,
};

/** A user of any user store, in answers. Members that the store does not tell are null. Times are ISO 8601 in JSON. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface ListedUserView extends ServerOf<typeof USER_VIEW> {}

/** A page of users of any user store. */
export interface ListedPage extends Omit<Page<ListedUserView>, 'total'> {
  /** Null unless the page is the last one: the store does not tell how many users there are. */
  total: number | null;
}

const USER = object(USER_VIEW);
const UNSEARCHED = unsupported('the user store lists its users, but does not search them');

const section = 'users';

export const userListApi = endpoints({
  'GET users': {
    id: 'kitAuthFindUsers',
    summary: 'Lists users, in pages',
    permission: 'auth:user:read',
    query: {
      status: parameter(STATUS.json, STATUS.read),
      ...PAGE,
      q: UNSEARCHED,
      role: UNSEARCHED,
    },
    answer: pageOf(USER, orNull(INTEGER)),
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
    summary: "Changes a user's status. Another status needs a fresh login",
    permission: 'auth:user:write',
    body: { status: STATUS },
    answer: USER,
    errors: [AuthErrorCode.FRESH_LOGIN_REQUIRED, AuthErrorCode.CONFLICT],
    section,
  },
});
