import { AuthErrorCode } from 'kit-auth';
import { endpoints, INTEGER, optional, type OptionalSchema, TEXT, type WireOf } from 'kit-auth/feature';

/** A token that browsers have in a cookie instead. */
const REFRESH_TOKEN: OptionalSchema<string> = {
  ...optional(TEXT),
  isRequired: ({ cookies }) => !cookies,
};

/** The members that this package adds to the answers of logins. */
export const loginMembers = {
  /** The end of the access token, in seconds since 1970. */
  expiresAt: INTEGER,
  refreshToken: REFRESH_TOKEN,
};
export type LoginMembers = WireOf<typeof loginMembers>;

export const refreshApi = endpoints({
  'POST token/refresh': {
    id: 'kitAuthRefreshToken',
    summary: 'Replaces a refresh token, and returns an access token',
    isPublic: true,
    readsBody: true,
    body: { refreshToken: REFRESH_TOKEN },
    login: true,
    status: 200,
    errors: [AuthErrorCode.TOKEN_INVALID],
  },
  // Clients without a valid access token call it.
  'POST token/end': {
    id: 'kitAuthEndToken',
    summary: 'Logs out: ends the login of a refresh token',
    isPublic: true,
    readsBody: true,
    body: { refreshToken: REFRESH_TOKEN },
  },
});
