import { describe, expect, it } from '@jest/globals';
import { SetMetadata } from '@nestjs/common';
import { ApplicationConfig, type ModulesContainer, Reflector } from '@nestjs/core';
import { handlerCall } from 'test-support';
import { AUTH_PROVIDER } from '../contract/auth-provider.js';
import type { KitAuthSettings } from '../contract/settings.js';
import {
  BeforeEnrolment,
  BeforePasswordChange,
  OptionalUser,
  Public,
  RequireFresh,
  RequireRoles,
  RequireToken,
} from './require.decorators.js';
import { OURS, type RouteRule } from './route-rule.js';
import {
  connectionHookOf,
  FreshLogins,
  readsToken,
  requiresToken,
  type RoutedRequest,
  RouteRules,
} from './route-rules.js';

class Notes {
  plain() {}

  @Public() open() {}
  @Public(false) shut() {}
  @RequireToken() closed() {}
  @Public() @RequireToken() both() {}
  @RequireRoles('editor') @BeforePasswordChange() @BeforeEnrolment() early() {}
}
@Public()
class OpenNotes extends Notes {}
@RequireRoles('staff')
class StaffNotes extends Notes {}
@RequireRoles('staff')
@BeforeEnrolment()
class EarlyNotes extends Notes {}
@Public(false)
class ShutNotes extends Notes {}
@OptionalUser()
class OptionalNotes extends Notes {}
@SetMetadata(OURS, true)
class OurNotes {
  @RequireFresh() @RequireRoles('editor') list() {}
}

interface Module {
  readonly controllers: Map<unknown, unknown>;
  readonly providers: Map<unknown, unknown>;
}
const moduleOf = (controllers: unknown[] = [], providers: [token: unknown, instance: unknown][] = []) => ({
  controllers: new Map(controllers.map((type) => [type, {}])),
  providers: new Map(providers.map(([token, instance]) => [token, { instance }])),
});
const containerOf = (...modules: Module[]) =>
  new Map(modules.map((module, index) => [String(index), module])) as unknown as ModulesContainer;
const ALL = [Notes, OpenNotes, StaffNotes, EarlyNotes, ShutNotes, OptionalNotes, OurNotes];
const keeping = (keepsProof: unknown) => moduleOf([], [[AUTH_PROVIDER, { keepsProof }]]);

function rulesOf(settings: object = {}, ...modules: Module[]) {
  const container = containerOf(moduleOf(), moduleOf(ALL), ...modules);
  const config = new ApplicationConfig();
  const freshLogins = new FreshLogins(container);
  const rules = new RouteRules(new Reflector(), config, container, freshLogins, {
    protect: ['/v1/**'],
    whiteList: [],
    optional: [],
    ...settings,
  } as unknown as KitAuthSettings);
  return { rules, config, freshLogins };
}

const handlerOf = (type: { readonly prototype: object }, name: string) =>
  Reflect.get(type.prototype, name) as (...args: unknown[]) => unknown;
const role = (name: string) => ({ kind: 'role', names: [name], mode: 'all' });
const onlyToken = { kind: 'role', names: [], mode: 'all' };

describe('the decorators of a route', () => {
  // Rules are kept, so each question has new ones.
  const ruleOf = (type: typeof Notes, name: string) =>
    rulesOf().rules.ruleOf(type, handlerOf(type, name), '/health');

  it.each<[typeof Notes, Record<string, string>]>([
    [Notes, { plain: 'open by path', open: 'open by @Public', closed: 'token', both: 'token' }],
    [OpenNotes, { plain: 'open by @Public', open: 'open by @Public', closed: 'token', both: 'token' }],
    [StaffNotes, { plain: 'token', open: 'open by @Public', shut: 'token', closed: 'token' }],
    [ShutNotes, { plain: 'open by path', open: 'open by @Public', closed: 'token' }],
    [OptionalNotes, { plain: 'open by @OptionalUser', open: 'open by @Public', closed: 'token' }],
  ])('decide, those of the method before those of %p', (type, decisions) => {
    for (const [name, decision] of Object.entries(decisions)) {
      expect([name, ruleOf(type, name).decision]).toEqual([name, decision]);
    }
  });

  it('add up', () => {
    const { requirements } = ruleOf(StaffNotes, 'early');
    expect(requirements).toEqual([role('staff'), role('editor')]);
  });

  it('admit users early, where they say so', () => {
    const early = (type: typeof Notes, name: string) => {
      const { beforePasswordChange, beforeEnrolment } = ruleOf(type, name);
      return [beforePasswordChange, beforeEnrolment];
    };
    expect(early(Notes, 'early')).toEqual([true, true]);
    expect(early(Notes, 'closed')).toEqual([false, false]);
    expect(early(EarlyNotes, 'closed')).toEqual([false, true]);
  });

  it('decide about messages, which have no path', () => {
    const decision = (type: typeof Notes, name: string) =>
      rulesOf().rules.messageRuleOf(type, handlerOf(type, name))?.decision;
    expect(decision(Notes, 'plain')).toBeUndefined();
    expect(decision(Notes, 'open')).toBe('open by @Public');
    expect([decision(Notes, 'closed'), decision(Notes, 'shut')]).toEqual(['token', 'token']);
    expect([decision(ShutNotes, 'plain'), decision(OpenNotes, 'shut')]).toEqual(['token', 'token']);
  });
});

describe('the token of a route', () => {
  it.each<[typeof Notes, string, boolean]>([
    [Notes, 'open', false],
    [OptionalNotes, 'plain', true],
    [Notes, 'closed', true],
  ])('of %p, method %s, is read: %s', (type, name, expected) => {
    expect(readsToken(rulesOf().rules.ruleOf(type, handlerOf(type, name), '/health'))).toBe(expected);
  });
});

describe('the hook for connections to a gateway', () => {
  it('is its method, or one without decorators', () => {
    class Gateway {
      handleConnection() {}
    }
    expect(connectionHookOf(Gateway)).toBe(handlerOf(Gateway, 'handleConnection'));
    expect(Reflect.getMetadataKeys(connectionHookOf(Notes))).toHaveLength(1);
  });
});

describe('the rule of a route', () => {
  it('is decided once for each controller, handler and path', () => {
    const { rules } = rulesOf();
    const [plain, open] = [handlerOf(Notes, 'plain'), handlerOf(Notes, 'open')];
    const first = rules.ruleOf(Notes, plain, '/:version/x');
    expect(rules.ruleOf(Notes, plain, '/:version/x')).toBe(first);
    expect(rules.ruleOf(Notes, plain, '/:version/y')).not.toBe(first);
    expect(rules.ruleOf(Notes, open, '/:version/x').decision).toBe('open by @Public');
    expect(rules.ruleOf(Notes, plain, '/:version/x')).toBe(first);
    expect(rules.ruleOf(Notes, plain, '/v1/x').decision).toBe('token');
    expect(rules.ruleOf(ShutNotes, plain, '/health').decision).toBe('open by path');
  });

  it('is decided with the global prefix of the moment', () => {
    const { rules, config } = rulesOf();
    const decision = (path: string) => rules.ruleOf(Notes, handlerOf(Notes, 'plain'), path).decision;
    expect(decision('/api/v1/a')).toBe('open by path');
    config.setGlobalPrefix('api');
    expect(decision('/api/v1/b')).toBe('token');
    expect(decision('/api/v1/c')).toBe('token');
    config.setGlobalPrefix('');
    expect(decision('/api/v1/d')).toBe('open by path');
  });

  it('asks decorators only, if protect says so', () => {
    const { rules } = rulesOf({ protect: 'decorated' });
    const rule = (type: typeof Notes, name: string) => rules.ruleOf(type, handlerOf(type, name), '/v1/x');
    expect(rule(Notes, 'plain').decision).toBe('open by default');
    expect(rule(Notes, 'closed').decision).toBe('token');
    expect(rule(Notes, 'shut')).toMatchObject({ decision: 'token', requirements: [onlyToken] });
    expect(rule(ShutNotes, 'plain')).toMatchObject({ decision: 'token', requirements: [onlyToken] });
    expect(rule(OpenNotes, 'plain').decision).toBe('open by @Public');
  });

  it('needs a class whose decorators can be read', () => {
    class Hidden {
      plain() {}
    }
    const { rules } = rulesOf({}, moduleOf([], [[OpenNotes, {}]]));
    const plain = handlerOf(Hidden, 'plain');
    expect(() => rules.ruleOf(Hidden, plain, '/v1/x')).toThrow(
      'The handler of /v1/x is not a method of a controller',
    );
    expect(rules.ruleOf(Hidden, plain, undefined).decision).toBe('token');
    class Resolver {
      plain() {}
    }
    const provided = rulesOf({}, moduleOf([], [[Resolver, {}]])).rules;
    expect(provided.ruleOf(Resolver, handlerOf(Resolver, 'plain'), '/v1/x').decision).toBe('token');
  });

  it('is that of the route that the router matched, or of any path', () => {
    const { rules } = rulesOf();
    const decision = (type: string, request: RoutedRequest) =>
      rules.ruleFor(handlerCall(Notes, 'plain', type), request).decision;
    expect(decision('http', { route: { path: '/health' }, url: '/v1/x' })).toBe('open by path');
    expect(decision('http', { routeOptions: { url: '/health' }, url: '/v1/x' })).toBe('open by path');
    expect(decision('http', { route: { path: '/v1/x' } })).toBe('token');
    expect(decision('http', { url: '/health' })).toBe('token');
    expect(decision('graphql', { route: { path: '/health' } })).toBe('token where the path is guarded');
  });
});

describe('the rule of a controller of the packages', () => {
  const ruleOf = ({ rules }: ReturnType<typeof rulesOf>) =>
    rules.ruleOf(OurNotes, handlerOf(OurNotes, 'list'), '/v1/x');
  const kinds = (rule: RouteRule) => rule.requirements.map(({ kind }) => kind);

  it('is marked, and others are not', () => {
    const { rules } = rulesOf();
    expect(ruleOf(rulesOf()).ours).toBe(true);
    expect(rules.ruleOf(Notes, handlerOf(Notes, 'closed'), '/v1/x').ours).toBeUndefined();
  });

  it('asks for a fresh login where tokens tell how the user logged in', () => {
    expect(kinds(ruleOf(rulesOf({}, keeping(true))))).toEqual(['role', 'fresh']);
    expect(kinds(ruleOf(rulesOf({}, keeping(false))))).toEqual(['role']);
    expect(kinds(ruleOf(rulesOf()))).toEqual(['role']);
  });

  it('does not, if that is switched off', () => {
    const off = rulesOf({}, keeping(true));
    off.freshLogins.switchOffFor(Notes, OurNotes);
    expect(kinds(ruleOf(off))).toEqual(['role']);
    const other = rulesOf({}, keeping(true));
    other.freshLogins.switchOffFor(Notes);
    expect(kinds(ruleOf(other))).toEqual(['role', 'fresh']);
  });

  it('is not known before the provider is there', () => {
    const possible = (...modules: Module[]) => new FreshLogins(containerOf(...modules)).arePossible();
    expect(possible()).toBe(false);
    expect(possible(moduleOf([], [[AUTH_PROVIDER, null]]))).toBe(false);
    expect(possible(moduleOf(), keeping(true))).toBe(true);
    expect(possible(keeping('yes'))).toBe(false);
  });
});

describe('a request', () => {
  const decided = (decision: RouteRule['decision'], open: string[] = []) => {
    const asked: string[][] = [];
    const rule: RouteRule = {
      decision,
      requirements: [],
      requiresToken: (...targets) => {
        asked.push([...targets]);
        return !targets.every((target) => open.includes(target));
      },
    };
    return { rule, asked };
  };
  const asks = (request: RoutedRequest, isMounted?: boolean) => {
    const { rule, asked } = decided('token where the path is guarded');
    requiresToken(rule, request, isMounted);
    return asked;
  };

  it('is decided by the route, where that is enough', () => {
    const rule = (decision: RouteRule['decision']): RouteRule => ({ decision, requirements: [] });
    expect(requiresToken(rule('token'), {})).toBe(true);
    expect(requiresToken(rule('open by path'), {})).toBe(false);
    const { rule: open } = decided('token, or open by white-list', ['/open']);
    expect(requiresToken(open, { url: '/open' })).toBe(false);
    expect(requiresToken(open, { url: '/other' })).toBe(true);
  });

  it('is judged as the client sent it, and as the router saw it', () => {
    expect(asks({ url: '/x' })).toEqual([['/x']]);
    expect(asks({ url: '/x', originalUrl: '/x' })).toEqual([['/x']]);
    expect(asks({ url: '/x', originalUrl: '/a/x' })).toEqual([['/a/x', '/x']]);
    expect(asks({})).toEqual([['']]);
    expect(asks({ url: '/x', originalUrl: '/a/x', baseUrl: '/a' })).toEqual([['/a/x', '/x']]);
  });

  it('to a mounted server is judged by the mount, too', () => {
    const mounted = { originalUrl: '/graphql/x', baseUrl: '/graphql', url: '/x' };
    expect(asks(mounted, true)).toEqual([['/graphql/x', '/graphql', '/x']]);
    for (const url of ['/', '', '?a=1', '/?a=1']) {
      expect(asks({ ...mounted, url }, true)).toEqual([['/graphql/x', '/graphql']]);
    }
    expect(asks({ originalUrl: '/graphql', url: '/graphql' }, true)).toEqual([['/graphql']]);
  });
});
