import type { SessionInfo } from 'kit-auth';
import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { userSessionsApi } from './user-sessions.api.js';
import { UserSessions } from './user-sessions.js';

type SessionsCall<K extends keyof typeof userSessionsApi> = Call<typeof userSessionsApi, K>;

/** The sessions of a user. The answer is 501 if the implementation has no sessions. */
@KitAuthController()
export class KitAuthUserSessionsController {
  constructor(private readonly sessions: UserSessions) {}

  @Endpoint(userSessionsApi, 'GET users/{id}/sessions')
  list({ params }: SessionsCall<'GET users/{id}/sessions'>): Promise<SessionInfo[]> {
    return this.sessions.listOf(params.id);
  }

  @Endpoint(userSessionsApi, 'DELETE users/{id}/sessions')
  endAll({ params, query }: SessionsCall<'DELETE users/{id}/sessions'>): Promise<void> {
    return this.sessions.endAll(params.id, { endKeys: query.endKeys ?? true });
  }

  @Endpoint(userSessionsApi, 'DELETE users/{id}/sessions/{sessionId}')
  end({ params }: SessionsCall<'DELETE users/{id}/sessions/{sessionId}'>): Promise<void> {
    return this.sessions.end(params.id, params.sessionId);
  }
}
