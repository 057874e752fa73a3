import { KitAuthContext } from '../context/kit-auth.context.js';
import type { SessionInfo } from '../contract/auth-sessions.js';
import type { Principal } from '../contract/login-proof.js';
import type { UserSummary } from '../contract/login-user.js';
import { readBody, readShownFactor } from '../endpoints/body.js';
import { KitAuthController } from '../endpoints/controller.js';
import { type Call, Endpoint } from '../endpoints/endpoint.js';
import { readJsonObject } from '../endpoints/json-body.js';
import { type LoginAnswer, summaryOf } from '../login/login.flow.js';
import { AuthManager } from '../manager/auth.manager.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { accountApi, CHANGED_PASSWORD, FIRST_PASSWORD } from '../endpoints/core.api.js';
import { FreshConfirmation } from '../fresh/fresh-confirmation.js';
import { OwnSessions } from './own-sessions.js';
import { PasswordChange } from './password-change.js';

type CallOf<K extends keyof typeof accountApi> = Call<typeof accountApi, K>;

/** Endpoints for the account of the current user. */
@KitAuthController()
export class KitAuthAccountController {
  constructor(
    private readonly manager: AuthManager,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
    private readonly passwordChange: PasswordChange,
    private readonly confirmation: FreshConfirmation,
    private readonly ownSessions: OwnSessions,
  ) {}

  @Endpoint(accountApi, 'GET me')
  me(): UserSummary {
    return summaryOf(this.context.getOrThrow());
  }

  /** Revokes the token of the request. A stateless token stays valid until it expires, so clients have to delete it. */
  @Endpoint(accountApi, 'POST logout')
  logout(): Promise<void> {
    return this.manager.logout();
  }

  @Endpoint(accountApi, 'POST password')
  async password({ request }: CallOf<'POST password'>): Promise<void> {
    const shape = isFirstPassword(request) ? FIRST_PASSWORD : CHANGED_PASSWORD;
    const { endKeys = false, ...passwords } = readBody(shape, request);
    await this.passwordChange.change(this.context.principal() as Principal, { ...passwords, endKeys });
  }

  /** Confirms the login with the password or another factor, for routes with `@RequireFresh()`. */
  @Endpoint(accountApi, 'POST fresh')
  async fresh({ request }: CallOf<'POST fresh'>): Promise<LoginAnswer> {
    const former = this.context.principal() as Principal;
    if (Object.hasOwn(readJsonObject(request), 'factor')) {
      return this.confirmation.withFactor(former, readShownFactor(request, {}));
    }
    const { password } = readBody(accountApi['POST fresh'].body, request);
    return this.confirmation.withPassword(former, password);
  }

  @Endpoint(accountApi, 'GET sessions')
  sessions(): Promise<SessionInfo[]> {
    return this.logins.sessions().listOf(this.context.getOrThrow().userId);
  }

  /** Sessions other than the current one need a fresh login. */
  @Endpoint(accountApi, 'DELETE sessions/{id}')
  endSession({ params }: CallOf<'DELETE sessions/{id}'>): Promise<void> {
    return this.ownSessions.end(this.context.principal() as Principal, params.id);
  }

  /** Ends all other sessions (OWASP ASVS 7.5.2). */
  @Endpoint(accountApi, 'DELETE sessions')
  endOtherSessions(): Promise<void> {
    return this.ownSessions.endOthers(this.context.getOrThrow());
  }
}

/** Whether a request leaves `currentPassword` out, which sets the first password of an account. */
function isFirstPassword({ body }: { body?: unknown }): boolean {
  const { newPassword } = (body ?? {}) as { newPassword?: unknown };
  return typeof newPassword === 'string' && !Object.hasOwn(body as object, 'currentPassword');
}
