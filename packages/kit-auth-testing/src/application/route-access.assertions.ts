import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import type { ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { type AuthAction, AuthException, KitAuthContext, type LoginUser } from 'kit-auth';
import {
  AccessChecker,
  accessOf,
  type DecidedRoute,
  isOpen,
  lineOf,
  readsToken,
  requiresToken,
} from 'kit-auth/tools';
import { ActiveUserStore } from 'kit-auth/feature';
import type { InitialisedApp } from './initialised-app.js';
import { type TestUser, testUser } from './test-user.js';

/** The parts of a request that a decision depends on: those that the policies of the route read, and `url`. */
export interface TestRequest {
  /** The path to test, if the white-list opens only some paths of the route. */
  url?: string | undefined;
  params?: Record<string, string> | undefined;
  query?: Record<string, unknown> | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  /** The entity in `request.user`, if your user store has `requestUser`. Default: the user. */
  user?: object | undefined;
  [name: string]: unknown;
}

/** The reason of a refusal, or undefined if the request is allowed. */
type Refusal = AuthException | undefined;
/** The method that a test calls. Stack traces begin there. */
type Assertion = 'isPublic' | 'hasOptionalUser' | 'needsToken' | 'needsFreshLogin' | 'allows' | 'denies';

/** Assertions about one route. Those that return the same object can be chained. */
export class RouteAccessAssertions {
  constructor(
    private readonly app: InitialisedApp,
    private readonly routes: readonly DecidedRoute[],
  ) {}

  /** Asserts that the route needs no token. @param request with its `url`, if the path decides */
  isPublic(request?: TestRequest): this {
    for (const route of this.routes) {
      if (this.needsTokenAt(route, request, 'isPublic')) {
        throw failure(route, 'should be public, but needs a token', 'isPublic');
      }
    }
    return this;
  }

  /** Asserts that the route needs no token, and has a user for requests with one, as with `@OptionalUser()`. */
  hasOptionalUser(): this {
    for (const route of this.routes) {
      if (route.rule.optional === undefined) {
        throw failure(route, 'should have an optional user, but does not', 'hasOptionalUser');
      }
    }
    return this;
  }

  /** Asserts that the route needs a token. @param request with its `url`, if the path decides */
  needsToken(request?: TestRequest): this {
    for (const route of this.routes) {
      if (!this.needsTokenAt(route, request, 'needsToken')) {
        throw failure(route, 'should need a token, but does not', 'needsToken');
      }
    }
    return this;
  }

  /** Asserts that the route requires a fresh login (`@RequireFresh()`). */
  needsFreshLogin(): this {
    for (const route of this.routes) {
      if (!route.rule.requirements.some(({ kind }) => kind === 'fresh')) {
        throw failure(route, 'should require a fresh login, but does not', 'needsFreshLogin');
      }
    }
    return this;
  }

  /**
   * Asserts that a user may call the route, with a fresh login if it needs one. Policies judge requests: for a route
   * with `@Authorize()`, pass the parts of a request that the policy reads, and await the result.
   *
   * @param user what the route depends on, for example `{ roles: ['editor'] }`
   *
   * @example
   * expectAccess(app).of('POST /v1/notes').allows({ permissions: ['note:write'] });
   * await expectAccess(app).of('DELETE /v1/notes/:id').allows({ userId: 7 }, { params: { id: '1' } });
   */
  allows(user: TestUser): this;
  allows(user: TestUser, request: TestRequest): Promise<void>;
  allows(user: TestUser, request?: TestRequest): this | Promise<void> {
    return this.eachRefusal(user, request, 'allows', (route, refusal) => {
      if (refusal !== undefined) {
        throw failure(
          route,
          `should allow ${shown(user)}, but does not: ${refusal.message}`,
          'allows',
          refusal,
        );
      }
    });
  }

  /**
   * Asserts that a user with a token may not call the route.
   *
   * @param user what the route depends on, for example `{ roles: ['reader'] }`
   */
  denies(user: TestUser): this;
  denies(user: TestUser, request: TestRequest): Promise<void>;
  denies(user: TestUser, request?: TestRequest): this | Promise<void> {
    return this.eachRefusal(user, request, 'denies', (route, refusal) => {
      if (refusal === undefined) {
        throw failure(route, `should deny ${shown(user)}, but does not`, 'denies');
      }
    });
  }

  private eachRefusal(
    fields: TestUser,
    request: TestRequest | undefined,
    caller: Assertion,
    judge: (route: DecidedRoute, refusal: Refusal) => void,
  ): this | Promise<void> {
    const user = testUser(fields, this.app.get(ActiveUserStore).idType);
    if (request === undefined) {
      this.routes.forEach((route) => judge(route, this.refusalByNames(user, route, caller)));
      return this;
    }
    const begun = {} as { stack: string };
    Error.captureStackTrace(begun, methodNamed(caller));
    return Promise.all(
      this.routes.map(async (route) => judge(route, await this.refusalOf(user, route, request, caller))),
    ).then(
      () => undefined,
      (error: unknown) => {
        throw withFrames(error, begun.stack);
      },
    );
  }

  /** Whether roles or permissions refuse the user. They are checked before policies. */
  private refusalByNames(user: LoginUser, route: DecidedRoute, caller: Assertion): Refusal {
    const { requirements } = route.rule;
    const names = requirements.filter(({ kind }) => kind !== 'policy');
    const policy = requirements.find((requirement) => requirement.kind === 'policy')?.policy.name;
    try {
      void this.check(user, { ...route, rule: { ...route.rule, requirements: names } }, contextOf(route));
    } catch (error) {
      return refusalIn(error, route, caller);
    }
    if (policy !== undefined) {
      const what = `asks the policy ${policy}, which judges requests`;
      const cure = `pass the parts that it reads, for example { params: { id: '1' } }, and await the result`;
      throw failure(route, `${what}: ${cure}`, caller);
    }
    return undefined;
  }

  private async refusalOf(
    user: LoginUser,
    route: DecidedRoute,
    request: TestRequest,
    caller: Assertion,
  ): Promise<Refusal> {
    try {
      const context = contextOf(route, { user, ...request });
      await this.app.get(KitAuthContext).run(user, () => this.check(user, route, context));
      return undefined;
    } catch (error) {
      return refusalIn(error, route, caller);
    }
  }

  /** The checks of the guard for a user who has just logged in. */
  private check(user: LoginUser, { rule }: DecidedRoute, context: ExecutionContext): true | Promise<true> {
    if (!readsToken(rule)) {
      return true;
    }
    const checker = this.app.get(AccessChecker);
    checker.checkPasswordChange(user, rule);
    const requirements = rule.requirements.filter(({ kind }) => kind !== 'fresh');
    return checker.check({ user, proof: { factors: {} } }, requirements, context, UNNOTED);
  }

  private needsTokenAt(route: DecidedRoute, request: TestRequest | undefined, caller: Assertion): boolean {
    const { rule } = route;
    if (rule.requiresToken === undefined || rule.when !== undefined) {
      return requiresToken(rule, {});
    }
    if (request?.url !== undefined) {
      return requiresToken(rule, { url: request.url });
    }
    if (isOpen(rule)) {
      return false;
    }
    throw failure(route, `is decided by the path of the request: pass one, { url: '/v1/...' }`, caller);
  }
}

/** Assertions must not publish events about refusals. */
const UNNOTED: AuthAction = {
  user: undefined,
  run: (fn) => fn(),
  note: () => undefined,
  keep: () => Promise.reject(new Error('A check changes nothing.')),
};

function contextOf(route: DecidedRoute, request: TestRequest = {}): ExecutionContext {
  const { method, path, controller, handler } = route;
  const parts = { method, url: path, params: {}, query: {}, headers: {}, ...request };
  return new ExecutionContextHost([parts], controller as never, handler as never);
}

/** Any error other than a refusal, such as a failing policy, is an error of the test. */
function refusalIn(error: unknown, route: DecidedRoute, caller: Assertion): AuthException {
  if (error instanceof AuthException) {
    return error;
  }
  throw failure(route, `could not be decided: a policy threw ${String(error)}`, caller, error);
}

function failure(route: DecidedRoute, problem: string, caller: Assertion, cause?: unknown): AssertionError {
  const { method, path } = route;
  const message = `${method} ${path} ${problem}.\n${lineOf(accessOf(route))}`;
  const error = new AssertionError({ message, operator: 'fail', stackStartFn: methodNamed(caller) });
  return cause === undefined ? error : Object.assign(error, { cause });
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- the type of `stackStartFn`
function methodNamed(assertion: Assertion): Function {
  return Reflect.get(RouteAccessAssertions.prototype, assertion);
}

/** An `await` hides the line of the test, which runners show. This restores it. */
function withFrames(error: unknown, stack: string): unknown {
  if (error instanceof AssertionError) {
    error.stack = `${error.name} [${error.code}]: ${error.message}${stack.slice(stack.indexOf('\n'))}`;
  }
  return error;
}

function shown(user: TestUser): string {
  return inspect(user, { breakLength: Infinity, depth: 2 });
}
