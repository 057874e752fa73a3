import { describe, expect, it } from '@jest/globals';
import {
  Authorize,
  joinedRequirements,
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

  it.each([
    [undefined, { within: 600, factors: 'any' }],
    ['90s', { within: 90, factors: 'any' }],
    ['10m', { within: 600, factors: 'any' }],
    ['1h', { within: 3600, factors: 'any' }],
    [{}, { within: 600, factors: 'any' }],
    [{ factors: 'full' } as const, { within: 600, factors: 'full' }],
    [{ within: '1m', factors: 'second-or-recovery' } as const, { within: 60, factors: 'second-or-recovery' }],
    [
      { within: '5m', factors: ['password', 'email'] } as const,
      { within: 300, factors: ['password', 'email'] },
    ],
  ])('require a fresh login: %j', (options, expected) => {
    class Keys {
      @RequireRoles('editor')
      @RequireFresh(options)
      @Authorize(Policy)
      list() {}
    }
    const [, fresh] = joinedRequirements([], requirementsOn(Reflect.get(Keys.prototype, 'list')));
    expect(fresh).toEqual({ kind: 'fresh', ...expected });
  });

  it.each([
    '',
    '10',
    'm',
    '0m',
    '-1m',
    '1.5h',
    '1d',
    ' 1m',
    '1m ',
    '1M',
    '١m',
    '9999999s',
    '10 m',
    null,
    600,
    [],
    ['password'],
    { within: 600 },
    { within: null },
    { minutes: 10 },
    { factors: [] },
    { factors: 'password' },
    { factors: ['key'] },
    { factors: ['pasword'] },
    { factors: ['password', 1] },
    { factors: null },
    { factors: ['constructor'] },
  ])('refuse the fresh login %j', (options) =>
    expect(() => RequireFresh(options as never)).toThrow(/^@RequireFresh: /),
  );

  it.each([
    ['no role', () => (RequireRoles as (...names: unknown[]) => unknown)()],
    ['options alone', () => (RequireRoles as (...names: unknown[]) => unknown)({ mode: 'any' })],
    ['an empty role', () => RequireRoles('')],
    ['a wildcard', () => RequirePermissions('note:*')],
    ['no permission', () => RequirePermissions('note read')],
  ])('refuse %s', (_what, decorate) => expect(decorate).toThrow(TypeError));
});
