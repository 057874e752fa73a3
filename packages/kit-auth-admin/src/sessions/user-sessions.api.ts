import { AuthErrorCode } from 'kit-auth';
import { endpoints, FLAG, list, SESSION } from 'kit-auth/feature';

const section = 'sessions';
const errors = [AuthErrorCode.NOT_IMPLEMENTED];

export const userSessionsApi = endpoints({
  'GET users/{id}/sessions': {
    id: 'kitAuthListUserSessions',
    summary: "Lists a user's sessions, oldest first",
    permission: 'auth:session:read',
    answer: list(SESSION),
    errors,
    section,
  },
  'DELETE users/{id}/sessions': {
    id: 'kitAuthEndUserSessions',
    summary: 'Ends all sessions of a user, and the API keys unless endKeys is false',
    permission: 'auth:session:end',
    fresh: true,
    query: { endKeys: FLAG },
    errors,
    section,
  },
  'DELETE users/{id}/sessions/{sessionId}': {
    id: 'kitAuthEndUserSession',
    summary: 'Ends a session of a user',
    permission: 'auth:session:end',
    fresh: true,
    errors,
    section,
  },
});
