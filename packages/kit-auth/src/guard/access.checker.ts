import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { Requirement } from '../contract/requirement.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { isPromiseLike } from '../errors/promise-like.js';
import { hasPermission } from '../routes/permission.js';
import { Policies } from '../routes/policies.js';
import type { RouteRule } from '../routes/route-rule.js';
import { FreshLoginChecker } from './fresh-login.checker.js';

/** Checks whether a user meets the requirements of a route. */
@Injectable()
export class AccessChecker {
  constructor(
    private readonly policies: Policies,
    private readonly events: AuthEvents,
    private readonly freshLogins: FreshLoginChecker,
  ) {}

  /** @throws AuthException 40301 for a user who has to choose a new password before this route */
  checkPasswordChange({ mustChangePassword }: LoginUser, { beforePasswordChange }: RouteRule): void {
    if (mustChangePassword && beforePasswordChange !== true) {
      throw new AuthException(AuthErrorCode.PASSWORD_CHANGE_REQUIRED);
    }
  }

  /**
   * Returns no promise unless a policy or a step of the login does.
   *
   * @param action the action to report a refusal under; required after an `await`
   * @throws AuthException 40300 `FORBIDDEN` with what is missing, 40120 when the login is too old
   */
  check(
    login: ResolvedLogin,
    requirements: readonly Requirement[],
    request: ExecutionContext,
    action?: AuthAction,
  ): true | Promise<true> {
    for (const [i, requirement] of requirements.entries()) {
      const checked = this.checkOne(login, requirement, request, action);
      if (isPromiseLike(checked)) {
        const begun = action ?? this.events.begin();
        return Promise.resolve(checked).then((answer) => {
          if (requirement.kind === 'policy') {
            this.checkAnswer(answer, requirement.policy.name, request, begun);
          }
          return this.check(login, requirements.slice(i + 1), request, begun);
        });
      }
      if (requirement.kind === 'policy') {
        this.checkAnswer(checked, requirement.policy.name, request, action);
      }
    }
    return true;
  }

  /** @returns what a policy answers */
  private checkOne(
    login: ResolvedLogin,
    requirement: Requirement,
    request: ExecutionContext,
    action: AuthAction | undefined,
  ): unknown {
    switch (requirement.kind) {
      case 'policy':
        return this.policies.get(requirement.policy).can(login.user, request);
      case 'fresh':
        return this.freshLogins.check(login, requirement);
      default:
        this.checkNames(login.user, requirement, request, action);
        return undefined;
    }
  }

  private checkNames(
    user: LoginUser,
    { kind, names, mode }: Extract<Requirement, { mode: unknown }>,
    request: ExecutionContext,
    action: AuthAction | undefined,
  ): void {
    const missing = user.superAdmin
      ? []
      : names.filter((name) => (kind === 'role' ? !user.roles.includes(name) : !hasPermission(user, name)));
    const isMet = missing.length === 0 || (mode === 'any' && missing.length < names.length);
    if (!isMet) {
      const what = `${kind}${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`;
      this.deny(request, missing, mode === 'any' ? `has none of the ${what}` : `lacks the ${what}`, action);
    }
  }

  private checkAnswer(
    answer: unknown,
    policy: string,
    request: ExecutionContext,
    action: AuthAction | undefined,
  ): void {
    if (answer !== true) {
      this.deny(request, [policy], `may not do this: ${policy}`, action);
    }
  }

  private deny(
    request: ExecutionContext,
    missing: readonly string[],
    why: string,
    action: AuthAction = this.events.begin(),
  ): never {
    const handler = `${request.getClass().name}.${request.getHandler().name}`;
    const detail = `${handler}: ${missing.join(', ')}`;
    action.note({ type: 'access-denied', success: false, detail, handler });
    throw new AuthException(AuthErrorCode.FORBIDDEN, { message: `The user ${why}`, missing });
  }
}
