import { describe, expect, it } from '@jest/globals';
import type { Requirement } from 'kit-auth';
import { AllowKeys } from '../allow-keys.decorator.js';
import { isOpenToKeys, lackingPermissions } from './key-access.js';

const TOKEN: Requirement = { kind: 'role', names: [], mode: 'all' };
const ROLE: Requirement = { kind: 'role', names: ['editor'], mode: 'any' };
const READ: Requirement = { kind: 'permission', names: ['note:read'], mode: 'all' };
const FRESH: Requirement = { kind: 'fresh', within: 600, factors: 'any' };
const POLICY: Requirement = {
  kind: 'policy',
  policy: class OnlyMine {
    can = () => true;
  },
};

class Notes {
  list() {}

  @AllowKeys()
  status() {}
}

@AllowKeys()
class Jobs {
  list() {}
}

class MoreJobs extends Jobs {}

const route = (controller: new () => object, method: string, ...requirements: Requirement[]) => ({
  controller,
  handler: Reflect.get(controller.prototype as object, method) as object,
  requirements,
  ours: false,
});

describe('a route', () => {
  it.each<[string, boolean, Requirement[]]>([
    ['list', false, []],
    ['list', false, [POLICY]],
    ['list', false, [ROLE]],
    ['list', false, [FRESH]],
    ['list', true, [TOKEN, READ, POLICY]],
    ['status', true, [TOKEN, POLICY]],
    ['status', false, [ROLE]],
    ['status', false, [FRESH]],
  ])('%s is open to keys: %s, with %j', (method, expected, requirements) => {
    expect(isOpenToKeys(route(Notes, method, ...requirements))).toBe(expected);
    expect(isOpenToKeys({ ...route(Notes, method, ...requirements), ours: true })).toBe(false);
  });

  it('takes over what its class says', () => {
    expect(isOpenToKeys(route(Jobs, 'list'))).toBe(true);
    expect(isOpenToKeys(route(MoreJobs, 'list'))).toBe(true);
    expect(isOpenToKeys(route(MoreJobs, 'list', ROLE))).toBe(false);
  });

  it.each<[string[], string[], Requirement[]]>([
    [['note:read'], [], [READ]],
    [['note:*'], [], [READ, TOKEN, POLICY]],
    [[], ['note:read'], [READ]],
    [['note:read'], ['note:write'], [READ, { kind: 'permission', names: ['note:write'], mode: 'all' }]],
    [['b'], ['a', 'c'], [{ kind: 'permission', names: ['a', 'b', 'c'], mode: 'all' }]],
    [['b'], [], [{ kind: 'permission', names: ['a', 'b', 'c'], mode: 'any' }]],
    [['x'], ['a', 'b'], [{ kind: 'permission', names: ['a', 'b'], mode: 'any' }]],
    [[], [], []],
  ])('lacks of %j: %j', (permissions, expected, requirements) => {
    expect(lackingPermissions({ superAdmin: false, permissions }, { requirements })).toEqual(expected);
  });
});
