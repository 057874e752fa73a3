import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { AuthCredential } from '../contract/auth-credential.js';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { AuthPolicy } from '../contract/auth-policy.js';
import type { Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { Requirement } from '../contract/requirement.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, forbidden, IllegalStateException } from '../errors/auth.exception.js';
import { andThen, isPromiseLike } from '../errors/maybe-promise.js';
import { ActiveProvider } from '../ports/active.provider.js';
import { Factors } from '../ports/factors.js';
import { Ports } from '../ports/ports.js';
import { hasPermission } from '../routes/permission.js';
import type { RouteRule } from '../routes/route-rule.js';
import { asksForSecondFactor } from './fresh-login.js';
import { FreshLoginChecker } from './fresh-login.checker.js';

/** The instances of the policies that `@Authorize()` names. */
@Injectable()
export class Policies {
  private readonly found = new Map<Type<AuthPolicy>, AuthPolicy>();

  constructor(private readonly moduleRef: ModuleRef) {}

  /** @throws IllegalStateException when no module provides the policy, or only for a request */
  get(type: Type<AuthPolicy>): AuthPolicy {
    const known = this.found.get(type);
    if (known !== undefined) {
      return known;
    }
    try {
      const policy = this.moduleRef.get<AuthPolicy>(type, { strict: false });
      this.found.set(type, policy);
      return policy;
    } catch (cause) {
      throw new IllegalStateException(
        `@Authorize(${type.name}): no module provides the policy, or it is request-scoped. Add it to the providers ` +
          'of a module, in the default scope.',
        { cause },
      );
    }
  }
}

/** Setting up a factor would not help a key or a token of another issuer. */
const NO_FACTOR = 'The user needs a second factor, and this token shows none';

/** Checks whether a user meets the requirements of a route. */
@Injectable()
export class AccessChecker {
  constructor(
    private readonly policies: Policies,
    private readonly events: AuthEvents,
    private readonly freshLogins: FreshLoginChecker,
    private readonly ports: Ports,
    private readonly active: ActiveProvider,
    private readonly factors: Factors,
  ) {}

  /**
   * Whether a principal may call a route: its requirements, between the decisions of the credential. Returns no promise
   * unless one of them does.
   *
   * @param credential that has resolved the token; undefined for tokens of the provider
   * @throws AuthException like the other methods, and of the credential
   */
  admit(
    principal: Principal,
    credential: AuthCredential | undefined,
    rule: RouteRule,
    context: ExecutionContext,
  ): true | Promise<true> {
    this.checkPasswordChange(principal.user, rule);
    this.checkEnrolment(principal, rule);
    const { requirements, ours = false, isOwnChange } = rule;
    if (ours) {
      this.checkActor(principal, rule);
    }
    if (credential === undefined) {
      return this.check(principal, requirements, context, undefined, isOwnChange);
    }
    const [controller, handler] = [context.getClass(), context.getHandler()];
    const authorized = credential.authorize?.(principal, { controller, handler, requirements, ours });
    const checked = andThen(authorized, () =>
      this.check(principal, requirements, context, undefined, isOwnChange),
    );
    if (credential.admitted === undefined) {
      return checked;
    }
    return andThen(checked, () => {
      credential.admitted?.(principal);
      return true as const;
    });
  }

  /** @throws AuthException 40301 for a user who has to choose a new password before this route */
  checkPasswordChange({ mustChangePassword }: LoginUser, { beforePasswordChange }: RouteRule): void {
    if (mustChangePassword && beforePasswordChange !== true) {
      throw new AuthException(AuthErrorCode.PASSWORD_CHANGE_REQUIRED);
    }
  }

  /**
   * A pending password change comes before the second factor.
   *
   * @throws AuthException 40303 for a user who has to set up a second factor before this route, and for a token of a
   * credential that does not show one
   */
  checkEnrolment(principal: Principal, { beforeEnrolment }: RouteRule): void {
    if (this.ports.canRequireEnrolment && beforeEnrolment !== true && this.isWithoutFactor(principal)) {
      const message = this.active.hasResolved(principal) ? undefined : NO_FACTOR;
      throw AuthException.refusal(AuthErrorCode.FACTOR_ENROLMENT_REQUIRED, { message });
    }
  }

  /** @throws AuthException 40300 for an actor, where only the user may change the account */
  checkActor({ proof }: ResolvedLogin, { isOwnChange }: RouteRule): void {
    if (isOwnChange === true && proof.actor !== undefined) {
      throw forbidden('Only the user can do this');
    }
  }

  private isWithoutFactor({ user, owner = user, proof }: Principal): boolean {
    return user.mustChangePassword !== true && this.factors.needsEnrolment({ user: owner, proof });
  }

  /**
   * Returns no promise unless a policy or a factor does.
   *
   * @param action the action to report a refusal under; required after an `await`
   * @param isOwnChange whether the route changes the own account: see `RouteRule.isOwnChange`
   * @throws AuthException 40300 `FORBIDDEN` with what is missing, 40120 when the login is too old
   */
  check(
    login: ResolvedLogin,
    requirements: readonly Requirement[],
    request: ExecutionContext,
    action?: AuthAction,
    isOwnChange = false,
  ): true | Promise<true> {
    for (const [i, requirement] of requirements.entries()) {
      const checked = this.checkOne(login, requirement, request, action, isOwnChange);
      if (isPromiseLike(checked)) {
        const begun = action ?? this.events.begin();
        return Promise.resolve(checked).then((answer) => {
          this.checkAnswer(answer, requirement, request, begun);
          return this.check(login, requirements.slice(i + 1), request, begun, isOwnChange);
        });
      }
      this.checkAnswer(checked, requirement, request, action);
    }
    return true;
  }

  /** @returns the answer of a policy */
  private checkOne(
    login: ResolvedLogin,
    requirement: Requirement,
    request: ExecutionContext,
    action: AuthAction | undefined,
    isOwnChange: boolean,
  ): unknown {
    switch (requirement.kind) {
      case 'policy':
        return this.policies.get(requirement.policy).can(login.user, request);
      case 'fresh':
        return this.freshLogins.check(login, requirement, isOwnChange && asksForSecondFactor(requirement));
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
    requirement: Requirement,
    request: ExecutionContext,
    action: AuthAction | undefined,
  ): void {
    if (requirement.kind === 'policy' && answer !== true) {
      const { name } = requirement.policy;
      this.deny(request, [name], `may not do this: ${name}`, action);
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
