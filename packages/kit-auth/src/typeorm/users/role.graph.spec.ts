import { describe, expect, it } from '@jest/globals';
import { AuthRole, SUPER_ADMIN } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { RoleGraph } from './role.graph.js';

/** A graph of roles named r0, r1 and so on. Counts the reads of `permissions`, one for each visit of a role. */
function graphOf(size: number, includes: (i: number) => number[]) {
  let visits = 0;
  const roles = Array.from({ length: size }, (_, i) =>
    Object.defineProperty(Object.assign(new AuthRole(), { id: i, code: `r${i}` }), 'permissions', {
      get: () => {
        visits++;
        return [`p:${i % 10}`];
      },
    }),
  );
  const inclusions = roles.flatMap(({ code }, i) =>
    includes(i)
      .filter((target) => target < size)
      .map((target): [string, string] => [code, `r${target}`]),
  );
  return { graph: new RoleGraph(roles, inclusions), visitsSoFar: () => visits };
}

const codesOf = (roles: readonly AuthRole[]) => roles.map(({ code }) => code);

describe('RoleGraph', () => {
  it.each<[string, number, (i: number) => number[]]>([
    ['a chain', 20_000, (i) => [i + 1]],
    ['a cycle', 1000, (i) => [(i + 1) % 1000]],
    ['roles that include all that follow', 300, (i) => Array.from({ length: 300 - i }, (_, j) => i + 1 + j)],
    ['roles that include all', 200, () => Array.from({ length: 200 }, (_, j) => j)],
    ['doubling paths', 1000, (i) => [i + 1, i + 2]],
  ])('visits each role once in %s', (_what, size, includes) => {
    const { graph, visitsSoFar } = graphOf(size, includes);
    expect(graph.grantsOf(['r0'])).toEqual({
      superAdmin: false,
      permissions: expect.arrayContaining(['p:0', 'p:9']),
    });
    expect(graph.grantsOf(['r0']).permissions).toHaveLength(10);
    expect(visitsSoFar()).toBe(2 * size);
    expect(graph.including(`r${size - 1}`)).toHaveLength(size);
  });

  it('grants super administration to those who are bound to it, and not by inclusion', () => {
    const roles = ['a', SUPER_ADMIN].map((code) =>
      Object.assign(new AuthRole(), { code, permissions: null }),
    );
    const graph = new RoleGraph(roles, [
      ['a', SUPER_ADMIN],
      ['a', 'gone'],
      ['gone', 'a'],
    ]);
    expect(graph.grantsOf(['a'])).toEqual({ superAdmin: false, permissions: [] });
    expect(graph.grantsOf([SUPER_ADMIN]).superAdmin).toBe(true);
    expect(codesOf(graph.including('a'))).toEqual(['a']);
  });

  it('counts levels by the shortest paths', () => {
    const { graph } = graphOf(6, (i) => [[1, 2, 3], [2], [4], [4], [5], []][i]!);
    // r0 includes r1, r2 and r3 directly; r4 and r5 follow.
    expect(['r0', 'r2', 'r5', 'unknown'].map((code) => graph.levelsOf(code))).toEqual([4, 4, 4, 1]);
  });

  it('answers as if a role was written, and stays as it is', () => {
    const { graph } = graphOf(3, (i) => [i + 1]);
    const written = graph.with('r1', ['q:1'], ['r0']);
    expect(written.grantsOf(['r1']).permissions.sort()).toEqual(['p:0', 'q:1']);
    expect(graph.grantsOf(['r1']).permissions.sort()).toEqual(['p:1', 'p:2']);
    expect(codesOf(graph.with('new', [], ['r2']).including('r2'))).toEqual(['r2', 'r1', 'new', 'r0']);
    expect(graph.get('new')).toBeUndefined();
  });

  describe('in a database', () => {
    const app = sharedTestApp({ admin: true });

    it('reads roles in the order of their codes, with their inclusions', async () => {
      const c = await app.role({ code: 'c', permissions: ['note:read'] });
      const a = await app.role({ code: 'a', permissions: ['note:write'], includes: [c] });
      await app.role({ code: 'b', includes: [a, c] });
      const graph = await RoleGraph.read(app.get(DataSource).manager);
      expect(codesOf(graph.all())).toEqual([SUPER_ADMIN, 'a', 'b', 'c']);
      expect([...graph.includesOf('b')].sort()).toEqual(['a', 'c']);
      expect(graph.grantsOf(['b']).permissions.sort()).toEqual(['note:read', 'note:write']);
      expect(codesOf(graph.rolesOf(['c', 'gone', 'a']))).toEqual(['c', 'a']);
    });
  });
});
