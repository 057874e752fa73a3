import { AUTH_LOGINS, AUTH_PROVIDER, type AuthLogins, type AuthProvider, type LoginProof } from 'kit-auth';
import { KitAuthRefreshModule, type KitAuthRefreshOptions } from 'kit-auth-refresh';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import { type Answer, bodyOf, ListeningApp, loginUser, type TestAppOptions } from 'test-support';

export interface RefreshAppOptions extends TestAppOptions {
  refresh?: KitAuthRefreshOptions;
}

/** A login as its client has it. */
export interface ClientLogin {
  readonly id: string;
  readonly token: string;
  readonly refreshToken: string;
}

/** An application with JWTs and refresh tokens. */
export class RefreshApp extends ListeningApp {
  constructor({ refresh, ...options }: RefreshAppOptions = {}) {
    super(options, { imports: [KitAuthRefreshModule.forRoot(refresh)] });
  }

  get logins(): AuthLogins {
    return this.get(AUTH_LOGINS);
  }

  /** Logs a user in without the time of a hash. */
  async open(
    { id, username }: { id: number; username: string },
    proof: LoginProof = { factors: { password: Math.floor(Date.now() / 1000) } },
  ): Promise<ClientLogin> {
    const user = loginUser({ userId: id, username });
    const opened = await this.logins.open({ user, proof }, undefined);
    const token = await this.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, opened.proof);
    return {
      id: opened.proof.loginId as string,
      token,
      refreshToken: opened.answer?.['refreshToken'] as string,
    };
  }

  refresh(refreshToken: unknown, ...headers: string[]): Promise<Answer> {
    return this.request('/v1/api/auth/token/refresh', { method: 'POST', json: { refreshToken }, headers });
  }

  /** Refreshes, and fails the test where that is refused. */
  async refreshed(login: ClientLogin): Promise<ClientLogin> {
    const { token, refreshToken } = bodyOf(await this.refresh(login.refreshToken));
    return { ...login, token, refreshToken };
  }

  /** 200, or the code and the reason of the refusal. */
  async outcomeOf(refreshToken: string, ...headers: string[]): Promise<string> {
    const { status, json } = await this.refresh(refreshToken, ...headers);
    return status === 200 ? '200' : `${json.code} ${json.reason ?? ''}`.trim();
  }

  endToken(refreshToken: unknown): Promise<Answer> {
    return this.call(undefined, 'POST', 'token/end', { refreshToken });
  }

  rowOf({ id }: Pick<ClientLogin, 'id'>): Promise<AuthLogin> {
    return this.rowsOf(AuthLogin).findOneByOrFail({ id });
  }

  /** The types of the events about a user, other than logins. */
  override eventsOf(user: { id: unknown }): string[] {
    return super.eventsOf(user).filter((type) => type !== 'login');
  }
}

/** The claims of an access token. */
export function claimsOf(token: string) {
  const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return JSON.parse(text) as Record<string, unknown> & { sid: string; iat: number; exp: number };
}
