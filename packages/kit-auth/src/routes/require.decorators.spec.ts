import { describe, expect, it } from '@jest/globals';
import {
  decoratedMethodOf,
  decoratedTarget,
  hasDecorators,
  isDecorated,
  METHOD,
  methodsOf,
} from './decorated-method.js';
import type { FreshOptions } from './fresh-options.js';
import {
  Authorize,
  BeforeEnrolment,
  BeforePasswordChange,
  joinedRequirements,
  OptionalUser,
  Public,
  RequireFresh,
  RequirePermissions,
  requirementsOn,
  RequireRoles,
  RequireToken,
} from './require.decorators.js';

class Policy {
  can() {
    return true;
  }
}

@RequireRoles('staff')
class Base {
  @RequirePermissions('note:read', 'note:list', { mode: 'any' })
  @Authorize(Policy)
  @RequireToken()
  list() {}
}

@RequireRoles('editor')
class Derived extends Base {}

describe('the decorators', () => {
  it('add up, on a method and over base classes', () => {
    expect(requirementsOn(Base)).toEqual([{ kind: 'role', names: ['staff'], mode: 'all' }]);
    expect(requirementsOn(Derived)).toEqual([
      { kind: 'role', names: ['editor'], mode: 'all' },
      { kind: 'role', names: ['staff'], mode: 'all' },
    ]);
    const list: unknown = Reflect.get(Base.prototype, 'list');
    expect(requirementsOn(list as object)).toEqual([
      { kind: 'permission', names: ['note:read', 'note:list'], mode: 'any' },
      { kind: 'policy', policy: Policy },
      { kind: 'role', names: [], mode: 'all' },
    ]);
  });

  const anyFactor = (within: number) => ({ within, factors: 'any' });
  it.each<[undefined | string | FreshOptions, object]>([
    [undefined, anyFactor(600)],
    ['90s', anyFactor(90)],
    ['10m', anyFactor(600)],
    ['1h', anyFactor(3600)],
    [{}, anyFactor(600)],
    [{ factors: 'full' }, { within: 600, factors: 'full' }],
    [{ factors: 'second' }, { within: 600, factors: 'second' }],
    ...(['password', 'totp', 'recovery', 'passkey', 'oidc', 'email'] as const).map(
      (factor): [FreshOptions, object] => [{ factors: [factor] }, { within: 600, factors: [factor] }],
    ),
    [
      { within: '1m', factors: 'second-or-recovery' },
      { within: 60, factors: 'second-or-recovery' },
    ],
    [
      { within: '5m', factors: ['password', 'email'] },
      { within: 300, factors: ['password', 'email'] },
    ],
  ])('require a fresh login: %j', (options, expected) => {
    class Keys {
      @RequireRoles('editor') @RequireFresh(options) @Authorize(Policy) list() {}
    }
    const [, fresh] = joinedRequirements([], requirementsOn(Reflect.get(Keys.prototype, 'list')));
    expect(fresh).toEqual({ kind: 'fresh', ...expected });
  });

  it.each<[string, unknown[]]>([
    ['times without a unit, or of another', ['', '10', 'm', '1d', '1M', '10 m']],
    ['times that are no whole number', ['0m', '-1m', '1.5h', ' 1m', '1m ', '\u0661m', '9999999s']],
    ['no options', [null, 600, [], ['password'], { minutes: 10 }]],
    ['no time', [{ within: 600 }, { within: null }]],
    ['no list of factors', [{ factors: [] }, { factors: 'password' }, { factors: null }]],
    ['unknown factors', [{ factors: ['key'] }, { factors: ['pasword'] }, { factors: ['password', 1] }]],
    ['a member of every object', [{ factors: ['constructor'] }]],
  ])('refuse the fresh login with %s', (_what, all) => {
    for (const options of all) {
      expect(() => RequireFresh(options as never)).toThrow(/^@RequireFresh: /);
    }
  });

  type Untyped = (...names: unknown[]) => unknown;
  const [roles, permissions] = [RequireRoles as Untyped, RequirePermissions as Untyped];
  it.each([
    ['no role', () => roles(), '@RequireRoles needs at least one name'],
    ['options alone', () => roles({ mode: 'any' }), '@RequireRoles needs at least one name'],
    ['no permissions', () => permissions(), '@RequirePermissions needs at least one name'],
    ['an empty role', () => RequireRoles(''), '@RequireRoles'],
    ['an empty role beside another', () => RequireRoles('editor', ''), '@RequireRoles'],
    ['a wildcard', () => RequirePermissions('note:*'), '@RequirePermissions'],
    ['no permission', () => RequirePermissions('note read'), '@RequirePermissions'],
    [
      'an optional user with another option',
      () => OptionalUser({ invalid: 'ignore' as never }),
      'invalid must',
    ],
    [
      'an optional user on a public handler',
      () => {
        class Notes {
          @Public() @OptionalUser() list() {}
        }
        return Notes;
      },
      '@Public() and @OptionalUser() exclude each other: list has both',
    ],
  ])('refuse %s', (_what, decorate, message) => {
    expect(decorate).toThrow(TypeError);
    expect(decorate).toThrow(message);
  });
});

describe('the requirements of a route', () => {
  it('are checked in an order that asks nobody for a password in vain', () => {
    class Notes {
      @Authorize(Policy) @RequireFresh() list() {}
    }
    @RequirePermissions('note:read')
    @RequireRoles('editor')
    @Authorize(Policy)
    class Controller {}
    const list: unknown = Reflect.get(Notes.prototype, 'list');
    const joined = joinedRequirements(requirementsOn(Controller), requirementsOn(list as object));
    expect(joined.map(({ kind }) => kind)).toEqual(['role', 'permission', 'fresh', 'policy', 'policy']);
    expect(joined).toHaveLength(5);
  });

  it.each<[string, MethodDecorator]>([
    ['RequireToken', RequireToken()],
    ['Public', Public()],
    ['BeforeEnrolment', BeforeEnrolment()],
    ['BeforePasswordChange', BeforePasswordChange()],
  ])('are found on a method that has @%s', (_name, decorator) => {
    class Notes {
      @decorator
      list() {}

      plain() {}
    }
    expect(methodsOf(Notes).map((method) => [method.name, hasDecorators(method)])).toEqual([
      ['list', true],
      ['plain', false],
    ]);
  });
});

describe('the method whose decorators apply to a handler', () => {
  const handlerOf = (type: { readonly prototype: object }, name: string) =>
    Reflect.get(type.prototype, name) as (...args: unknown[]) => unknown;
  class Notes {
    get title() {
      return 'x';
    }

    @RequireRoles('editor') list() {}

    plain() {}
  }
  class Own extends Notes {
    own() {}
  }
  class Plain {
    list() {}
  }
  const list = handlerOf(Notes, 'list');

  it('is the handler itself', () => {
    expect(decoratedMethodOf(Notes, list)).toBe(list);
    expect(decoratedMethodOf(Own, list)).toBe(list);
    expect(decoratedMethodOf(Notes, handlerOf(Notes, 'plain'))).toBe(handlerOf(Notes, 'plain'));
  });

  it('is found behind bind(), and behind wrappers of the same name', () => {
    const wrapper = { list: () => undefined };
    for (const handler of [list.bind({}), list.bind({}).bind({}), wrapper.list]) {
      expect(decoratedMethodOf(Notes, handler)).toBe(list);
    }
  });

  it('is a wrapper that has copied the decorators, or the method that a wrapper names', () => {
    const copying = () => undefined;
    Reflect.defineMetadata('kit-auth:requirements', [], copying);
    expect(decoratedMethodOf(Notes, copying)).toBe(copying);
    const naming = () => undefined;
    Reflect.defineMetadata(METHOD, list, naming);
    expect(decoratedMethodOf(Notes, naming)).toBe(list);
    expect(isDecorated(naming)).toBe(false);
  });

  it('cannot be determined for another function of a class with decorators', () => {
    const other = () => undefined;
    const anonymous = () => () => undefined;
    expect(() => decoratedMethodOf(Notes, other)).toThrow('Notes replaces one of its handlers');
    expect(() => decoratedMethodOf(Own, anonymous())).toThrow('Own replaces one of its handlers');
    expect(decoratedMethodOf(Plain, other)).toBe(other);
    expect(decoratedMethodOf(Plain, anonymous())).toBeInstanceOf(Function);
    expect(decoratedMethodOf(() => undefined, other)).toBe(other);
  });

  it('is found among the methods of a class and its base classes, its own first', () => {
    expect(methodsOf(Own).map(({ name }) => name)).toEqual(['own', 'list', 'plain']);
    expect(methodsOf(() => undefined)).toEqual([]);
    for (const prototype of [null, Object.create(null) as object]) {
      expect(methodsOf(Object.assign(() => undefined, { prototype }))).toEqual([]);
    }
  });

  it('is decorated by this package or another one of ours only', () => {
    const decorated = (key: string | symbol) => {
      const target = () => undefined;
      Reflect.defineMetadata(key, true, target);
      return isDecorated(target);
    };
    const keys = ['kit-auth:x', 'other:kit-auth:', 'other', Symbol('kit-auth:x'), METHOD];
    expect(keys.filter(decorated)).toEqual(['kit-auth:x']);
    expect([undefined, null, {}, 'x'].map(isDecorated)).toEqual([false, false, false, false]);
  });

  describe('where a decorator of another library replaces the method', () => {
    const Replace =
      (): MethodDecorator => (_target: object, _name: string | symbol, descriptor: PropertyDescriptor) => {
        descriptor.value = function other() {};
      };

    it('is the former method, if only that is decorated', () => {
      class Replaced {
        @Replace() @RequireRoles('inner') list() {}
      }
      const method = decoratedMethodOf(Replaced, handlerOf(Replaced, 'list'));
      expect(method).not.toBe(handlerOf(Replaced, 'list'));
      expect(requirementsOn(method)).toEqual([{ kind: 'role', names: ['inner'], mode: 'all' }]);
    });

    it('has the decorators below the replacement and above it', () => {
      class Replaced {
        @RequireRoles('outer') @Replace() @Public() @RequireRoles('inner') list() {}
      }
      const method = decoratedMethodOf(Replaced, handlerOf(Replaced, 'list'));
      expect(method).toBe(handlerOf(Replaced, 'list'));
      expect(requirementsOn(method)).toEqual([
        { kind: 'role', names: ['outer'], mode: 'all' },
        { kind: 'role', names: ['inner'], mode: 'all' },
      ]);
      expect(Reflect.getMetadata('kit-auth:public', method)).toBe(true);
    });

    it('keeps what the replacement has already, and takes no decorators of others', () => {
      const [before, after] = [() => undefined, () => undefined];
      const target = {};
      decoratedTarget(target, 'list', { value: before });
      Reflect.defineMetadata('kit-auth:a', 'before', before);
      Reflect.defineMetadata('kit-auth:b', 'before', before);
      Reflect.defineMetadata('other', 'before', before);
      Reflect.defineMetadata('kit-auth:a', 'after', after);
      expect(decoratedTarget(target, 'list', { value: after })).toBe(after);
      const found = ['kit-auth:a', 'kit-auth:b', 'other'].map(
        (key) => Reflect.getMetadata(key, after) as unknown,
      );
      expect(found).toEqual(['after', 'before', undefined]);
    });
  });

  it('is the class for a decorator of a class, and the prototype for one of a property', () => {
    expect(decoratedTarget(Notes)).toBe(Notes);
    expect(decoratedTarget(Notes.prototype, 'title')).toBe(Notes.prototype);
    expect(decoratedTarget(Notes.prototype, 'list', { value: list })).toBe(list);
  });
});
