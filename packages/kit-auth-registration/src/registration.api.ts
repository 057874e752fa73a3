import { AuthErrorCode, type UserId } from 'kit-auth';
import {
  EMAIL,
  endpoints,
  list,
  nicknameFrom,
  object,
  optional,
  parsed,
  PASSWORD,
  REMEMBER,
  type ServerOf,
  TEXT,
  TIME,
  value,
} from 'kit-auth/feature';
import { ADDRESS } from 'kit-auth-email';
import { INVITE_PERMISSION } from './link-tokens.js';

const { CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, LINK_INVALID } = AuthErrorCode;
const { LOGIN_FAILED, NOT_IMPLEMENTED, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const MAX_LOCALE = 35;
const MAX_ROLES = 100;

const NICKNAME = value<string | undefined, string>(
  { type: 'string', minLength: 1, maxLength: 255 },
  nicknameFrom,
);
/** Normalized, for example `pt-BR` for `pt-br`. */
const LOCALE = parsed<string>(
  { type: 'string', maxLength: MAX_LOCALE, description: 'A language tag of BCP 47' },
  'be a language tag such as "de" or "pt-BR"',
  (it) => (typeof it === 'string' && it.length <= MAX_LOCALE ? canonicalTag(it) : undefined),
);
const ROLES = parsed<readonly string[]>(
  list(TEXT).json,
  `be a list of at most ${MAX_ROLES} different role codes`,
  (it) => (isRoles(it) ? it : undefined),
);
const USER_ID = value<UserId>(({ userId }) => userId);

const SENT = { id: TEXT, email: EMAIL, expiresAt: TIME };
const VIEW = {
  ...SENT,
  nickname: optional(NICKNAME),
  roles: list(TEXT),
  inviterId: USER_ID,
  createdAt: TIME,
};

/** An invitation that was sent. The id is not a secret. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface SentInvitation extends ServerOf<typeof SENT> {}
/** An invitation in the list of administrators. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface InvitationView extends ServerOf<typeof VIEW> {}

export const registrationApi = endpoints({
  'POST register': {
    id: 'kitAuthRegister',
    summary: 'Sends a link to register. The answer is the same for known addresses',
    isPublic: true,
    body: { email: ADDRESS, locale: optional(LOCALE) },
    status: 202,
    errors: [FORBIDDEN, TOO_MANY_ATTEMPTS],
  },
  'POST register/complete': {
    id: 'kitAuthCompleteRegistration',
    summary: 'Creates the account of a link or an invitation, and logs in',
    isPublic: true,
    body: { token: TEXT, password: PASSWORD, nickname: optional(NICKNAME), remember: REMEMBER },
    status: 200,
    login: true,
    errors: [LINK_INVALID, LOGIN_FAILED, USER_DISABLED, CONFLICT],
  },
  'POST invitations': {
    id: 'kitAuthInvite',
    summary:
      'Sends an invitation, which replaces an earlier one to the address. Administrative roles need a fresh login',
    permission: INVITE_PERMISSION,
    body: {
      email: ADDRESS,
      nickname: optional(NICKNAME),
      roles: optional(ROLES),
      locale: optional(LOCALE),
    },
    answer: object(SENT),
    errors: [FRESH_LOGIN_REQUIRED, CONFLICT, NOT_IMPLEMENTED],
    section: 'invitations',
  },
  'GET invitations': {
    id: 'kitAuthListInvitations',
    summary: 'Lists the live invitations, oldest first',
    permission: INVITE_PERMISSION,
    answer: list(object(VIEW)),
    section: 'invitations',
  },
  'DELETE invitations/{id}': {
    id: 'kitAuthEndInvitation',
    summary: 'Ends an invitation',
    permission: INVITE_PERMISSION,
    section: 'invitations',
  },
});

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

function isRoles(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_ROLES &&
    new Set(value).size === value.length &&
    value.every((role) => typeof role === 'string' && role.isWellFormed() && !/[\p{Cc}]/u.test(role))
  );
}
