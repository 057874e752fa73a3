import { AuthErrorCode } from 'kit-auth';
import { type AuthOperations, INTEGER, objectOf, TEXT } from 'kit-auth/extend';

/** The endpoints of this package, and what it adds to the answers of logins. */
export const refreshOperations: AuthOperations = ({ cookies }) => {
  const inCookie = cookies ? ['refreshToken'] : [];
  const body = objectOf({ refreshToken: TEXT }, inCookie);
  return {
    login: objectOf({ expiresAt: INTEGER, refreshToken: TEXT }, inCookie),
    operations: {
      'POST token/refresh': {
        operationId: 'kitAuthRefreshToken',
        summary: 'Replaces a refresh token, and returns an access token',
        body,
        login: true,
        errors: [AuthErrorCode.TOKEN_INVALID],
      },
      'POST token/end': {
        operationId: 'kitAuthEndToken',
        summary: 'Logs out: ends the login of a refresh token',
        body,
      },
    },
  };
};
