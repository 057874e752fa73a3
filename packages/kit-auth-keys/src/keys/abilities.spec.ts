import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasPermission } from 'kit-auth';
import { abilitiesBeyond, meet, permissionsOfKey, readAbilities } from './abilities.js';

const segment = fc.constantFrom('a', 'b', 'c');
const permission = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join(':'));
const granted = fc
  .array(fc.oneof(segment, fc.constant('*')), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join(':'));
const grants = (...permissions: string[]) => ({ superAdmin: false, permissions });

describe('what two permissions share', () => {
  it.each([
    ['note:read', 'note:read', 'note:read'],
    ['note:*', '*:read', 'note:read'],
    ['*', 'note:read', 'note:read'],
    ['*', '*', '*'],
    ['note:*', 'note:*:own', 'note:*:own'],
    ['*:*', 'note:*', 'note:*'],
    ['note:*', 'note', undefined],
    ['note:read', 'note:read:own', undefined],
    ['*:read', 'note:*:own', undefined],
    ['note:read', 'note:write', undefined],
  ])('of %s and %s is %s', (a, b, expected) => {
    expect(meet(a, b)).toBe(expected);
    expect(meet(b, a)).toBe(expected);
  });

  it('covers a permission exactly if both cover it', () => {
    fc.assert(
      fc.property(granted, granted, permission, (a, b, asked) => {
        const shared = meet(a, b);
        const isShared = shared !== undefined && hasPermission(grants(shared), asked);
        expect(isShared).toBe(hasPermission(grants(a), asked) && hasPermission(grants(b), asked));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the permissions of a key', () => {
  it('cover a permission exactly if its abilities and its owner cover it', () => {
    const list = fc.array(granted, { maxLength: 5 });
    fc.assert(
      fc.property(list, list, fc.boolean(), permission, (abilities, permissions, superAdmin, asked) => {
        const owner = { superAdmin, permissions };
        const may = hasPermission(grants(...permissionsOfKey(abilities, owner)), asked);
        expect(may).toBe(hasPermission(grants(...abilities), asked) && hasPermission(owner, asked));
      }),
      { numRuns: 2000 },
    );
  });

  it('are its abilities if those are not beyond its owner', () => {
    fc.assert(
      fc.property(fc.uniqueArray(granted, { maxLength: 5 }), fc.array(granted), (abilities, permissions) => {
        const owner = grants(...permissions);
        const beyond = abilitiesBeyond(owner, abilities);
        const within = abilities.filter((ability) => !beyond.includes(ability));
        expect(permissionsOfKey(within, owner)).toEqual(within);
      }),
    );
  });

  it('are few, also for a key and an owner with many', () => {
    const many = (count: number, end: string) => Array.from({ length: count }, (_, i) => `p${i}:${end}`);
    let reads = 0;
    const permissions = new Proxy(many(1000, 'read'), {
      get(list, key) {
        reads += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
        return Reflect.get(list, key);
      },
    });
    expect(permissionsOfKey(many(50, '*'), { superAdmin: false, permissions })).toHaveLength(50);
    // Each ability looks at each permission of the owner twice: to grant it, and to share it.
    expect(reads).toBeLessThanOrEqual(2 * 50 * 1000);
  });
});

describe('the abilities of a new key', () => {
  it('are permissions, each once', () => {
    expect(readAbilities(['note:read', 'note:*', 'note:read'])).toEqual(['note:read', 'note:*']);
    expect(readAbilities(['*'])).toEqual(['*']);
  });

  it.each([
    ['note:read'],
    [{ 0: 'note:read', length: 1 }],
    [[]],
    [['note:']],
    [['note:read', 1]],
    [Array.from({ length: 51 }, (_, i) => `note:${i}`)],
  ])('are not %j', (value) => expect(readAbilities(value)).toBeUndefined());
});
