import { describe, expect, it } from '@jest/globals';
import { AuthRole } from '../users/auth-role.entity.js';
import { RoleGraph } from '../users/role.graph.js';
import { requireWithinLimits } from './role.limits.js';

/** Roles named r0, r1 and so on. */
function graphOf(
  size: number,
  includes: (i: number) => number[] = () => [],
  permissions: (i: number) => string[] = () => [],
): RoleGraph {
  const roles = Array.from({ length: size }, (_, i) =>
    Object.assign(new AuthRole(), { id: i, code: `r${i}`, permissions: permissions(i) }),
  );
  const inclusions = roles.flatMap(({ code }, i) =>
    includes(i)
      .filter((target) => target < size)
      .map((target) => [code, `r${target}`] as const),
  );
  return new RoleGraph(roles, inclusions);
}

const list = (length: number, text: (i: number) => string) => Array.from({ length }, (_, i) => text(i));

describe('the limits of roles', () => {
  it('are 1000 levels of inclusion', () => {
    const graph = graphOf(1500, (i) => (i === 499 ? [] : [i + 1]));
    const include = (code: string, includes: string[]) => () =>
      requireWithinLimits(graph, code, [], includes);
    // r0 to r499 are 500 levels, r500 to r1499 are 1000.
    expect(graph.levelsOf('r0')).toBe(500);
    expect(graph.levelsOf('r700')).toBe(1000);
    expect(include('r499', ['r1000'])).not.toThrow();
    expect(include('r499', ['r999'])).toThrow('at most 1000 levels of inclusion');
    expect(include('new', ['r501'])).not.toThrow();
    expect(include('new', ['r500'])).toThrow('at most 1000 levels of inclusion');
    expect(include('r700', ['r701', 'r0'])).not.toThrow();
  });

  it('are 2000 roles', () => {
    const write = (size: number, code: string) => () => requireWithinLimits(graphOf(size), code, [], []);
    expect(write(1999, 'new')).not.toThrow();
    expect(write(2000, 'new')).toThrow('at most 2000 roles');
    // The role exists already.
    expect(write(2000, 'r0')).not.toThrow();
  });

  it('are 20000 inclusions', () => {
    const graph = graphOf(201, (i) => (i < 200 ? list(100, String).map((_, j) => 100 + j) : []));
    const includes = ['r100'];
    expect(() => requireWithinLimits(graph, 'r200', [], includes)).toThrow('at most 20000 inclusions');
    expect(() => requireWithinLimits(graph, 'r0', [], includes)).not.toThrow();
  });

  it('are 20000 permissions', () => {
    const graph = graphOf(201, undefined, (i) => (i < 200 ? list(100, (j) => `p:${j}`) : []));
    expect(() => requireWithinLimits(graph, 'r200', ['p:0'], [])).toThrow('at most 20000 permissions');
    expect(() => requireWithinLimits(graph, 'r0', ['p:0'], [])).not.toThrow();
  });

  it('are 200 different administrative permissions', () => {
    const graph = graphOf(4, undefined, (i) => (i < 2 ? list(100, (j) => `auth:x${i}:${j}`) : []));
    const write = (permission: string) => () => requireWithinLimits(graph, 'r3', [permission], []);
    for (const permission of ['auth:y', '*', '*:read']) {
      expect(write(permission)).toThrow('at most 200 administrative permissions');
    }
    for (const permission of ['auth:x0:0', 'authority:read', 'note:read']) {
      expect(write(permission)).not.toThrow();
    }
  });

  it('let roles that exceed them stay or shrink, and not grow', () => {
    const graph = graphOf(1, undefined, () => list(300, (j) => `auth:${j}`));
    const write = (count: number) => {
      const permissions = list(count, (j) => `auth:${j}`);
      return () => requireWithinLimits(graph, 'r0', permissions, []);
    };
    expect(write(300)).not.toThrow();
    expect(write(250)).not.toThrow();
    expect(write(301)).toThrow();
  });
});
