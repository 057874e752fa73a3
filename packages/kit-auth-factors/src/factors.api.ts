import { AuthErrorCode } from 'kit-auth';
import {
  type Additions,
  BOOLEAN,
  choice,
  described,
  DEVICE_NAME,
  endpoints,
  INTEGER,
  list,
  NAME,
  object,
  optional,
  orNull,
  REMEMBER,
  type ServerOf,
  TEXT,
  text,
  TIME,
} from 'kit-auth/feature';
import { OWN_CHANGES } from 'kit-auth/login';

const { CONFLICT, FACTOR_FAILED, NOT_IMPLEMENTED, TOO_MANY_ATTEMPTS } = AuthErrorCode;

/** Permissions of administrators. */
export const READ = 'auth:user:read';
export const WRITE = 'auth:user:write';

const CODE = described(TEXT, 'Six digits from an authenticator app');

const FACTOR_INFO = {
  id: TEXT,
  kind: choice('totp'),
  /** The name that the user chose. */
  name: NAME,
  createdAt: TIME,
  lastUsedAt: orNull(TIME),
};
const FACTOR_LIST = {
  /** Oldest first. */
  factors: list(object(FACTOR_INFO)),
  recoveryCodesLeft: INTEGER,
};
const NEW_DEVICE = {
  id: TEXT,
  /** In base32. No other answer contains it. */
  secret: described(TEXT, 'In base 32'),
  uri: described(text({ format: 'uri' }), 'The contents of a QR code'),
};
const RECOVERY_CODES = list(TEXT);

/** A device of a user. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface FactorInfo extends ServerOf<typeof FACTOR_INFO> {}
/** The devices of a user, and the number of recovery codes. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface FactorList extends ServerOf<typeof FACTOR_LIST> {}
/** A device that its user has to confirm with a code. */
export type NewDevice = ServerOf<typeof NEW_DEVICE>;

export const factorsApi = endpoints({
  'GET factors': {
    id: 'kitAuthListFactors',
    summary: "Lists the current user's second factors",
    beforeEnrolment: true,
    answer: object(FACTOR_LIST),
  },
  'POST factors/totp': {
    id: 'kitAuthAddTotp',
    summary: 'Creates a device for an authenticator app, to be confirmed with a code',
    beforeEnrolment: true,
    fresh: OWN_CHANGES,
    body: { name: { ...DEVICE_NAME, isText: true } },
    answer: object(NEW_DEVICE),
    errors: [CONFLICT, NOT_IMPLEMENTED],
  },
  // Needs no fresh login: creating the device did, and the code shows that the user is there.
  'POST factors/totp/{id}/confirm': {
    id: 'kitAuthConfirmTotp',
    summary: 'Confirms a device with a code. Returns a new token, and recovery codes for the first device',
    beforeEnrolment: true,
    body: {
      code: CODE,
      endOthers: optional(described(BOOLEAN, 'Whether the other sessions of the user end')),
    },
    login: true,
    status: 200,
    answer: object({ recoveryCodes: optional(RECOVERY_CODES) }),
    errors: [FACTOR_FAILED, CONFLICT, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
  'POST factors/recovery': {
    id: 'kitAuthRenewRecoveryCodes',
    summary: 'Replaces the recovery codes',
    beforeEnrolment: true,
    fresh: OWN_CHANGES,
    status: 200,
    answer: object({ recoveryCodes: RECOVERY_CODES }),
    errors: [CONFLICT],
  },
  'DELETE factors/{id}': {
    id: 'kitAuthRemoveFactor',
    summary: 'Removes a device. The last one is removed with the recovery codes',
    beforeEnrolment: true,
    fresh: OWN_CHANGES,
  },
  'GET users/{id}/factors': {
    id: 'kitAuthListUserFactors',
    summary: "Lists a user's second factors",
    permission: READ,
    answer: object(FACTOR_LIST),
    section: 'users',
  },
  'DELETE users/{id}/factors': {
    id: 'kitAuthRemoveUserFactors',
    summary: "Removes a user's second factors and ends their sessions",
    permission: WRITE,
    fresh: true,
    section: 'users',
  },
});

/** The second factor in endpoints of the core. */
export const factorAdditions: Additions = {
  'POST login/factor': {
    body: {
      challenge: described(TEXT, 'From the answer 40112'),
      factor: choice('totp', 'recovery'),
      code: described(TEXT, 'Six digits of an authenticator app, or a recovery code'),
      remember: REMEMBER,
    },
  },
  'POST fresh': { body: { factor: choice('totp'), code: CODE } },
};
