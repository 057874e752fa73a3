import { AuthErrorCode } from '../errors/auth-error-code.js';
import type { AuthOperations } from '../openapi/operation.js';

const { FACTOR_FAILED, SECOND_FACTOR_REQUIRED, TOO_MANY_ATTEMPTS } = AuthErrorCode;

/** The second step of a login. The packages of the factors add the bodies. */
export const secondFactorOperations: AuthOperations = () => ({
  operations: {
    'POST login/factor': {
      operationId: 'kitAuthLoginFactor',
      summary: 'Completes a login with a second factor, and returns a token',
      login: true,
      errors: [FACTOR_FAILED, TOO_MANY_ATTEMPTS],
    },
  },
  additions: {
    'POST login': { errors: [SECOND_FACTOR_REQUIRED] },
    'POST login/link/complete': { errors: [SECOND_FACTOR_REQUIRED] },
    'POST fresh': { errors: [FACTOR_FAILED] },
  },
});
