import { AuthErrorCode, type LoginUser } from 'kit-auth';
import { BOOLEAN, choice, endpoints, INTEGER, list, object, TEXT, value } from 'kit-auth/feature';

/** The sections of the page, which endpoints name in `section` of their declarations. */
export const SECTIONS = ['users', 'roles', 'sessions', 'keys', 'audit', 'invitations'] as const;
export type Section = (typeof SECTIONS)[number];

/** Rights in a section. */
export const VERBS = ['read', 'write', 'end'] as const;
export type Verb = (typeof VERBS)[number];

const USER = value<Pick<LoginUser, 'userId' | 'username' | 'nickname' | 'superAdmin'>>(({ user }) => user);
const DONE = list(choice(...VERBS));
const errors = [AuthErrorCode.FORBIDDEN, AuthErrorCode.FACTOR_ENROLMENT_REQUIRED];

export const consoleApi = endpoints({
  'GET console': {
    id: 'kitAuthConsole',
    summary: 'What the application offers to administrators, and what this user may do of it now',
    answer: object({
      user: USER,
      permissions: list(TEXT),
      sections: object({
        users: DONE,
        roles: DONE,
        sessions: DONE,
        keys: DONE,
        audit: DONE,
        invitations: DONE,
      } satisfies Record<Section, typeof DONE>),
      /** The keys of all endpoints of the application, for example `DELETE users/{id}`. */
      features: list(TEXT),
      /** The features that the user has the permission for. */
      allowed: list(TEXT),
      idType: choice('number', 'string'),
      freshAdmin: BOOLEAN,
      password: object({ minLength: INTEGER }),
      languages: list(TEXT),
      version: TEXT,
    }),
    errors,
  },
  'GET console/users/{id}': {
    id: 'kitAuthConsoleUser',
    summary: 'Parts of a user that this administrator may change, who needs the permissions for it besides',
    answer: object({ account: BOOLEAN, belongings: BOOLEAN }),
    errors,
  },
});
