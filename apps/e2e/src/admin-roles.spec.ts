import { describe, expect, it } from '@jest/globals';
import { AuthRole, SUPER_ADMIN } from 'kit-auth/typeorm';
import { requireRoom } from '../../../packages/kit-auth-admin/src/roles/role.limits.js';
import { RoleGraph } from '../../../packages/kit-auth-admin/src/roles/role.graph.js';
import { describeRoles } from './admin-roles.suite.js';

describeRoles({ database: 'sqlite', platform: 'express', provider: 'session' });
describeRoles({ database: 'sqlite', platform: 'fastify', provider: 'jwt' });

describe('a graph of roles', () => {
  /** Counts the reads of `permissions`: a role is looked at once for each question. */
  function graphOf(size: number, includes: (i: number) => number[]) {
    let reads = 0;
    const roles = Array.from({ length: size }, (_, i) =>
      Object.defineProperty(Object.assign(new AuthRole(), { id: i, code: `r${i}` }), 'permissions', {
        get: () => {
          reads++;
          return [`p:${i % 10}`];
        },
      }),
    );
    const inclusions = roles.flatMap(({ code }, i) =>
      includes(i)
        .filter((it) => it < size)
        .map((it): [string, string] => [code, `r${it}`]),
    );
    return { graph: new RoleGraph(roles, inclusions), readsSoFar: () => reads };
  }

  it.each<[string, number, (i: number) => number[]]>([
    ['a chain', 20_000, (i) => [i + 1]],
    ['a circle', 1000, (i) => [(i + 1) % 1000]],
    ['each with all that follow', 300, (i) => Array.from({ length: 300 - i }, (_, j) => i + 1 + j)],
    ['everyone with everyone', 200, () => Array.from({ length: 200 }, (_, j) => j)],
    ['doubling paths', 1000, (i) => [i + 1, i + 2]],
  ])('of %s is walked once', (_what, size, includes) => {
    const { graph, readsSoFar } = graphOf(size, includes);
    expect(graph.powerOf(['r0'])).toEqual({
      superAdmin: false,
      permissions: expect.arrayContaining(['p:0', 'p:9']),
    });
    expect(graph.powerOf(['r0']).permissions).toHaveLength(10);
    expect(readsSoFar()).toBe(2 * size);
    expect(graph.including(`r${size - 1}`)).toHaveLength(size);
  });

  it('has at most 1000 levels', () => {
    const { graph } = graphOf(1500, (i) => (i === 499 ? [] : [i + 1]));
    const extend = (code: string, includes: string[]) => () => requireRoom(graph, code, [], includes);
    // r0 to r499 are 500 levels, r500 to r1499 are 1000.
    expect(graph.levelsOf('r0')).toBe(500);
    expect(graph.levelsOf('r700')).toBe(1000);
    expect(extend('r499', ['r1000'])).not.toThrow();
    expect(extend('r499', ['r999'])).toThrow('at most 1000 levels of inclusion');
    expect(extend('new', ['r501'])).not.toThrow();
    expect(extend('new', ['r500'])).toThrow('at most 1000 levels of inclusion');
    expect(extend('r700', ['r701', 'r0'])).not.toThrow();
  });

  it('grants no SUPER_ADMIN by inclusion, and ignores deleted roles', () => {
    const roles = ['a', SUPER_ADMIN].map((code) =>
      Object.assign(new AuthRole(), { code, permissions: null }),
    );
    const graph = new RoleGraph(roles, [
      ['a', SUPER_ADMIN],
      ['a', 'gone'],
      ['gone', 'a'],
    ]);
    expect(graph.powerOf(['a'])).toEqual({ superAdmin: false, permissions: [] });
    expect(graph.powerOf([SUPER_ADMIN]).superAdmin).toBe(true);
    expect(graph.including('a').map(({ code }) => code)).toEqual(['a']);
  });
});
