import { KitAuthRefreshModule, type KitAuthRefreshOptions } from 'kit-auth-refresh';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import { type Answer, TestApp, type TestAppOptions } from 'test-support';

/** An application with JWTs and refresh tokens. */
export class RefreshApp extends TestApp {
  constructor({ refresh, imports = [], ...options }: RefreshAppOptions = {}) {
    const module = refresh === undefined ? KitAuthRefreshModule : KitAuthRefreshModule.forRoot(refresh);
    super({ ...options, imports: [module, ...imports] });
  }

  refresh(refreshToken: unknown, ...headers: string[]): Promise<Answer> {
    return this.request('/v1/api/auth/token/refresh', { method: 'POST', json: { refreshToken }, headers });
  }

  endToken(refreshToken: unknown): Promise<Answer> {
    return this.call(undefined, 'POST', 'token/end', { refreshToken });
  }

  /** The row of a login, by one of its refresh tokens or its id. */
  rowOf(id: string): Promise<AuthLogin> {
    return this.rowsOf(AuthLogin).findOneByOrFail({ id });
  }
}

export interface RefreshAppOptions extends TestAppOptions {
  refresh?: KitAuthRefreshOptions;
}

/** The claims of an access token. */
export function claimsOf(token: string): Record<string, unknown> & { sid: string; iat: number; exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** 200, or the code and the reason of the refusal. */
export function outcomeOf({ status, json }: Answer): string {
  return status === 200 ? '200' : `${json.code} ${json.reason ?? ''}`.trim();
}
