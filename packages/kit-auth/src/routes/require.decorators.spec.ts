import { describe, expect, it } from '@jest/globals';
import {
  Authorize,
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
    ['no role', () => (RequireRoles as (...names: unknown[]) => unknown)()],
    ['options alone', () => (RequireRoles as (...names: unknown[]) => unknown)({ mode: 'any' })],
    ['an empty role', () => RequireRoles('')],
    ['a wildcard', () => RequirePermissions('note:*')],
    ['no permission', () => RequirePermissions('note read')],
  ])('refuse %s', (_what, decorate) => expect(decorate).toThrow(TypeError));
});
