import { AuthErrorCode } from 'kit-auth';
import { type AuthOperations, BOOLEAN, INTEGER, listOf, objectOf, TEXT } from 'kit-auth/extend';
import { SECTIONS } from './access/endpoints.js';

const REFUSALS = [AuthErrorCode.FORBIDDEN, AuthErrorCode.FACTOR_ENROLMENT_REQUIRED];
const VERBS = listOf({ type: 'string', enum: ['read', 'write', 'end'] });

/** The endpoints of this package, for OpenAPI documents. */
export const consoleOperations: AuthOperations = ({ user }) => ({
  operations: {
    'GET console': {
      operationId: 'kitAuthConsole',
      summary: 'What the application offers to administrators, and what this user may do of it now',
      answer: objectOf({
        user,
        permissions: listOf(TEXT),
        sections: objectOf(Object.fromEntries(SECTIONS.map((section) => [section, VERBS]))),
        features: listOf(TEXT),
        allowed: listOf(TEXT),
        idType: { type: 'string', enum: ['number', 'string'] },
        freshAdmin: BOOLEAN,
        password: objectOf({ minLength: INTEGER }),
        languages: listOf(TEXT),
        version: TEXT,
      }),
      errors: REFUSALS,
    },
    'GET console/users/{id}': {
      operationId: 'kitAuthConsoleUser',
      summary: 'What of a user this administrator may change, who needs the permissions for it besides',
      answer: objectOf({ account: BOOLEAN, belongings: BOOLEAN }),
      errors: REFUSALS,
    },
  },
});
