import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  BOOLEAN,
  INTEGER,
  listOf,
  NAME,
  objectOf,
  orNull,
  type Schema,
  TEXT,
  TIME,
} from 'kit-auth/extend';

const { CONFLICT, FACTOR_FAILED, NOT_IMPLEMENTED, TOO_MANY_ATTEMPTS } = AuthErrorCode;

const CODE: Schema = { type: 'string', description: 'Six digits from an authenticator app' };
const FACTORS = objectOf({
  factors: listOf(
    objectOf({
      id: TEXT,
      kind: { type: 'string', enum: ['totp'] },
      name: NAME,
      createdAt: TIME,
      lastUsedAt: orNull(TIME),
    }),
  ),
  recoveryCodesLeft: INTEGER,
});
const RECOVERY_CODES = { recoveryCodes: listOf(TEXT) };

/** The endpoints of this package, and the second factor in those of the core. */
export const factorOperations: AuthOperations = ({ cookies }) => ({
  operations: {
    'GET factors': {
      operationId: 'kitAuthListFactors',
      summary: "Lists the current user's second factors",
      answer: FACTORS,
    },
    'POST factors/totp': {
      operationId: 'kitAuthAddTotp',
      summary: 'Creates a device for an authenticator app, to be confirmed with a code',
      body: objectOf({ name: NAME }),
      answer: objectOf({
        id: TEXT,
        secret: { ...TEXT, description: 'In base 32' },
        uri: { type: 'string', format: 'uri', description: 'The contents of a QR code' },
      }),
      errors: [CONFLICT, NOT_IMPLEMENTED],
    },
    'POST factors/totp/{id}/confirm': {
      operationId: 'kitAuthConfirmTotp',
      summary: 'Confirms a device with a code. Returns a new token, and recovery codes for the first device',
      body: objectOf(
        { code: CODE, endOthers: { ...BOOLEAN, description: 'Whether the other sessions of the user end' } },
        ['endOthers'],
      ),
      login: true,
      answer: objectOf(RECOVERY_CODES, ['recoveryCodes']),
      errors: [FACTOR_FAILED, CONFLICT, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
    'POST factors/recovery': {
      operationId: 'kitAuthRenewRecoveryCodes',
      summary: 'Replaces the recovery codes',
      answer: objectOf(RECOVERY_CODES),
      errors: [CONFLICT],
    },
    'DELETE factors/{id}': {
      operationId: 'kitAuthRemoveFactor',
      summary: 'Removes a device. The last one is removed with the recovery codes',
    },
    'GET users/{id}/factors': {
      operationId: 'kitAuthListUserFactors',
      summary: "Lists a user's second factors",
      answer: FACTORS,
    },
    'DELETE users/{id}/factors': {
      operationId: 'kitAuthRemoveUserFactors',
      summary: "Removes a user's second factors and ends their sessions",
    },
  },
  additions: {
    'POST login/factor': {
      body: objectOf(
        {
          challenge: { ...TEXT, description: 'From the answer 40112' },
          factor: { type: 'string', enum: ['totp', 'recovery'] },
          code: { ...TEXT, description: 'Six digits of an authenticator app, or a recovery code' },
          ...(cookies && { remember: BOOLEAN }),
        },
        ['remember'],
      ),
    },
    'POST fresh': { body: objectOf({ factor: { type: 'string', enum: ['totp'] }, code: CODE }) },
  },
});
