import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import type { AuthAction } from '../contract/auth-event.js';
import { AuthEvents } from '../events/auth-events.js';
import type { AuthPolicy } from '../contract/auth-policy.js';
import { hasPermission } from '../routes/permission.js';
import type { Requirement } from '../routes/require.decorators.js';

/** Checks what a route asks of its user, once the user is known. */
@Injectable()
export class AccessChecker {
  private readonly policies = new Map<Type<AuthPolicy>, AuthPolicy>();

  constructor(
    private readonly moduleRef: ModuleRef,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Without a promise where no policy answers with one.
   *
   * @param action the request, where it was waited for since it began
   * @throws AuthException 40300 `FORBIDDEN`, with what is missing
   */
  check(
    user: LoginUser,
    requirements: readonly Requirement[],
    request: ExecutionContext,
    action?: AuthAction,
  ): true | Promise<true> {
    for (const [i, requirement] of requirements.entries()) {
      if (requirement.kind !== 'policy') {
        this.checkNames(user, requirement, request, action);
        continue;
      }
      const answer: unknown = this.policyOf(requirement.policy).can(user, request);
      if (isPromiseLike(answer)) {
        const begun = action ?? this.events.begin();
        return Promise.resolve(answer).then((resolved) => {
          this.demand(resolved, requirement.policy, request, begun);
          return this.check(user, requirements.slice(i + 1), request, begun);
        });
      }
      this.demand(answer, requirement.policy, request, action);
    }
    return true;
  }

  /** @throws IllegalStateException where the application does not provide it, or only for a request */
  policyOf(type: Type<AuthPolicy>): AuthPolicy {
    const known = this.policies.get(type);
    if (known !== undefined) {
      return known;
    }
    try {
      const policy = this.moduleRef.get<AuthPolicy>(type, { strict: false });
      this.policies.set(type, policy);
      return policy;
    } catch (cause) {
      throw new IllegalStateException(
        `@Authorize(${type.name}): the policy is no provider of any module, or it is request-scoped. Add it to ` +
          'the providers of a module, in the default scope.',
        { cause },
      );
    }
  }

  private checkNames(
    user: LoginUser,
    { kind, names, mode }: Exclude<Requirement, { kind: 'policy' }>,
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

  private demand(
    answer: unknown,
    { name }: Type<AuthPolicy>,
    request: ExecutionContext,
    action: AuthAction | undefined,
  ): void {
    if (answer !== true) {
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

function isPromiseLike(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
