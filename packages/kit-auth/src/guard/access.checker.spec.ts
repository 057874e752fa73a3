import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { handlerCall, loginUser } from 'test-support';
import type { AuthAction, NotedEvent } from '../contract/auth-event.js';
import type { AuthEvents } from '../contract/auth-events.js';
import type { AuthPolicy } from '../contract/auth-policy.js';
import type { Principal, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { Requirement } from '../contract/requirement.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { ActiveProvider } from '../ports/active.provider.js';
import type { Factors } from '../ports/factors.js';
import type { Ports } from '../ports/ports.js';
import { AccessChecker, Policies } from './access.checker.js';
import type { RouteRule } from '../routes/route-rule.js';
import type { FreshLoginChecker } from './fresh-login.checker.js';

class Notes {
  list() {}
}
/** A policy of that name with this answer. */
const answering = (name: string, answer: unknown) => {
  class Policy implements AuthPolicy {
    can = () => answer as boolean;
  }
  return Object.defineProperty(Policy, 'name', { value: name });
};
const Allows = answering('Allows', true);
const AllowsLater = answering('AllowsLater', Promise.resolve(true));
/** As some query builders answer: with something that has `then`, and is no Promise. */
const AllowsThen = answering('AllowsThen', {
  then: (done: (value: boolean) => unknown) => Promise.resolve(true).then(done),
});
const Refuses = answering('Refuses', false);
const RefusesLater = answering('RefusesLater', Promise.resolve(false));
const Truthy = answering('Truthy', 1);

let noted: NotedEvent[] = [];
/** How many actions have begun. */
let begun = 0;
const action = { note: (event: NotedEvent) => void noted.push(event) } as Partial<AuthAction> as AuthAction;
const events = { begin: () => (begun++, action) } as Partial<AuthEvents> as AuthEvents;
const moduleRef = { get: (type: new () => AuthPolicy) => new type() } as unknown as ModuleRef;
/** What the check of a fresh login returns. */
let fresh: () => void | Promise<void>;
const freshLogins = { check: () => fresh() } as Partial<FreshLoginChecker> as FreshLoginChecker;
const checker = new AccessChecker(
  new Policies(moduleRef),
  events,
  freshLogins,
  {} as Ports,
  {} as ActiveProvider,
  {} as Factors,
);
const request = handlerCall(Notes, 'list');

const policy = (type: new () => AuthPolicy): Requirement => ({ kind: 'policy', policy: type });
const role = (mode: 'all' | 'any', ...names: string[]): Requirement => ({ kind: 'role', names, mode });
const check = (requirements: Requirement[], fields: Partial<LoginUser> = {}) =>
  checker.check({ user: loginUser(fields), proof: { factors: {} } }, requirements, request);
const refusal = (missing: string[]) =>
  expect.objectContaining({ code: 40300, response: expect.objectContaining({ missing }) });

describe('AccessChecker', () => {
  beforeEach(() => {
    noted = [];
    begun = 0;
    fresh = () => undefined;
  });

  it('returns no promise where nothing has to be awaited', () => {
    expect(check([])).toBe(true);
    expect(check([policy(Allows), role('all', 'editor')], { roles: ['editor'] })).toBe(true);
    expect(check([policy(AllowsLater)])).toBeInstanceOf(Promise);
  });

  it('checks each requirement after an asynchronous policy', async () => {
    await expect(check([policy(AllowsLater)])).resolves.toBe(true);
    await expect(check([policy(AllowsThen), policy(AllowsLater)])).resolves.toBe(true);
    await expect(check([policy(AllowsLater), policy(Refuses)])).rejects.toEqual(refusal(['Refuses']));
    await expect(check([policy(AllowsLater), role('all', 'editor')])).rejects.toEqual(refusal(['editor']));
    await expect(check([policy(AllowsLater), policy(AllowsLater), policy(RefusesLater)])).rejects.toEqual(
      refusal(['RefusesLater']),
    );
  });

  it('asks no policy after one that refuses', async () => {
    await expect(check([policy(RefusesLater), policy(Refuses)])).rejects.toEqual(refusal(['RefusesLater']));
    expect(noted).toHaveLength(1);
  });

  it('begins the action of a refusal before it waits', async () => {
    const refused = check([policy(AllowsLater), policy(RefusesLater)]);
    expect(begun).toBe(1);
    await expect(refused).rejects.toThrow();
    expect([begun, noted.length]).toEqual([1, 1]);
  });

  it('asks for a fresh login, at once or after a look-up', async () => {
    const requirement: Requirement = { kind: 'fresh', within: 600, factors: 'any' };
    const stale = new AuthException(AuthErrorCode.FRESH_LOGIN_REQUIRED);
    const fail = () => {
      throw stale;
    };
    expect(check([requirement])).toBe(true);
    fresh = async () => undefined;
    await expect(check([requirement])).resolves.toBe(true);
    await expect(check([requirement, policy(Refuses)])).rejects.toEqual(refusal(['Refuses']));
    fresh = fail;
    expect(() => check([requirement])).toThrow(stale);
    fresh = async () => fail();
    await expect(check([requirement])).rejects.toBe(stale);
  });

  it('accepts only true from a policy', () => {
    expect(() => check([policy(Truthy)])).toThrow(refusal(['Truthy']));
  });

  it('asks for all names, or for any of them', () => {
    const roles = ['a'];
    expect(() => check([role('all', 'a', 'b', 'c')], { roles })).toThrow(refusal(['b', 'c']));
    expect(check([role('any', 'a', 'b')], { roles })).toBe(true);
    expect(() => check([role('any', 'b', 'c')], { roles })).toThrow(refusal(['b', 'c']));
    expect(check([role('any')], { roles })).toBe(true);
    const permission: Requirement = { kind: 'permission', names: ['note:read'], mode: 'all' };
    expect(check([permission], { permissions: ['note:*'] })).toBe(true);
    expect(() => check([permission], { roles: ['note:read'] })).toThrow(refusal(['note:read']));
  });

  it('passes a super administrator, but not for policies', () => {
    expect(check([role('all', 'a')], { superAdmin: true })).toBe(true);
    expect(() => check([policy(Refuses)], { superAdmin: true })).toThrow(refusal(['Refuses']));
  });

  it('records a refusal with the handler', () => {
    expect(() => check([role('all', 'a', 'b')])).toThrow('The user lacks the roles a, b');
    expect(() => check([role('any', 'a')])).toThrow('The user has none of the role a');
    expect(noted[0]).toEqual({
      type: 'access-denied',
      success: false,
      detail: 'Notes.list: a, b',
      handler: 'Notes.list',
    });
  });

  it('asks for a new password first', () => {
    const user = loginUser({ mustChangePassword: true });
    const rule = (fields: Partial<RouteRule>) => fields as RouteRule;
    expect(() => checker.checkPasswordChange(user, rule({}))).toThrow(
      expect.objectContaining({ code: 40301 }),
    );
    expect(() => checker.checkPasswordChange(user, rule({ beforePasswordChange: true }))).not.toThrow();
    expect(() => checker.checkPasswordChange(loginUser(), rule({}))).not.toThrow();
  });

  describe('asks for a second factor that has to be set up', () => {
    const principal = (more: Partial<Principal> = {}): Principal => ({
      user: loginUser(),
      proof: { factors: {} },
      scheme: 'stub',
      token: 't',
      ...more,
    });
    const clerk = loginUser({ roles: ['clerk'] });
    /** The code and the message of the refusal, or undefined where the route is admitted. */
    function refusedWith(
      more: Partial<Principal> = {},
      { canRequireEnrolment = true, rule = {}, isOfLogin = true } = {},
    ): readonly unknown[] | undefined {
      const enrolments = new AccessChecker(
        {} as Policies,
        events,
        freshLogins,
        { canRequireEnrolment } as Ports,
        { hasResolved: () => isOfLogin } as unknown as ActiveProvider,
        {
          needsEnrolment: ({ user }: ResolvedLogin) => user.roles.includes('clerk'),
        } as unknown as Factors,
      );
      try {
        enrolments.checkEnrolment(principal(more), rule as RouteRule);
        return undefined;
      } catch (error) {
        const { code, message } = error as AuthException;
        return [code, message];
      }
    }

    const MESSAGE = 'Set up a second factor first';

    it('if the factors say so', () => {
      expect(refusedWith({ user: clerk })).toEqual([40303, MESSAGE]);
      expect(refusedWith()).toBeUndefined();
      expect(refusedWith({ user: clerk }, { canRequireEnrolment: false })).toBeUndefined();
    });

    it('after a new password, on routes that are not for that', () => {
      expect(refusedWith({ user: { ...clerk, mustChangePassword: true } })).toBeUndefined();
      expect(refusedWith({ user: clerk }, { rule: { beforeEnrolment: true } })).toBeUndefined();
      expect(refusedWith({ user: clerk }, { rule: { beforeEnrolment: false } })).toEqual([40303, MESSAGE]);
    });

    it('or that the token of a credential does not show, for the roles of its owner', () => {
      const message = 'The user needs a second factor, and this token shows none';
      expect(refusedWith({ user: clerk }, { isOfLogin: false })).toEqual([40303, message]);
      expect(refusedWith({ owner: clerk }, { isOfLogin: false })).toEqual([40303, message]);
      expect(refusedWith({ user: clerk, owner: loginUser() }, { isOfLogin: false })).toBeUndefined();
    });
  });
});

describe('Policies', () => {
  it('are looked up once, in all modules', () => {
    const lookups: unknown[] = [];
    const policies = new Policies({
      get: (type: Type<AuthPolicy>, options: object) => (lookups.push(options), new type()),
    } as unknown as ModuleRef);
    expect(policies.get(Allows)).toBeInstanceOf(Allows);
    expect(policies.get(Allows)).toBe(policies.get(Allows));
    expect(policies.get(Refuses)).toBeInstanceOf(Refuses);
    expect(lookups).toEqual([{ strict: false }, { strict: false }]);
  });

  it('have to be provided', () => {
    const cause = new Error('unknown');
    const none = new Policies({
      get: () => {
        throw cause;
      },
    } as unknown as ModuleRef);
    expect(() => none.get(Allows)).toThrow('@Authorize(Allows): no module provides the policy');
    expect(() => none.get(Allows)).toThrow(expect.objectContaining({ cause }));
  });
});
