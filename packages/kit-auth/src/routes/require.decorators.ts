import type { Type } from '@nestjs/common';
import type { AuthPolicy } from '../contract/auth-policy.js';
import type { Requirement } from '../contract/requirement.js';
import { decoratedTarget } from './decorated-function.js';
import { isPermission } from './permission.js';

export interface RequireOptions {
  /** Whether all of them are needed, or one is enough. Default `all`. */
  mode?: 'all' | 'any';
}

const REQUIREMENTS = 'kit-auth:requirements';

type Decorator = ClassDecorator & MethodDecorator;
type NamesAndOptions = [...names: [string, ...string[]], options: RequireOptions] | [string, ...string[]];

/**
 * Lets only users with these roles (codes, inherited ones included) through; super administrators always. On a
 * class it counts for every method, together with what the method asks for. Protects routes outside of `/v1` and
 * `/v2` too. Answers 40300 naming what is missing. `@Public()` on a method opens it, whatever its class requires.
 */
export function RequireRoles(...namesAndOptions: NamesAndOptions): Decorator {
  return requiring({ kind: 'role', ...read('RequireRoles', namesAndOptions) });
}

/** `RequireRoles` for permissions such as `note:read`. @throws TypeError on what is no permission, or has a `*` */
export function RequirePermissions(...namesAndOptions: NamesAndOptions): Decorator {
  const { names, mode } = read('RequirePermissions', namesAndOptions);
  const wrong = names.find((name) => !isPermission(name) || name.includes('*'));
  if (wrong !== undefined) {
    throw new TypeError(`@RequirePermissions: ${JSON.stringify(wrong)} is no permission such as "note:read"`);
  }
  return requiring({ kind: 'permission', names, mode });
}

/** Asks for a token and nothing more, also outside of `/v1` and `/v2`: the decision, said. */
export function RequireToken(): Decorator {
  return requiring({ kind: 'role', names: [], mode: 'all' });
}

/** Asks a policy, an injectable class of the application, about each request. */
export function Authorize(policy: Type<AuthPolicy>): Decorator {
  return requiring({ kind: 'policy', policy });
}

/** What was asked for on a class (its base classes included) or a method. */
export function requirementsOn(target: object): readonly Requirement[] {
  return (Reflect.getMetadata(REQUIREMENTS, target) as readonly Requirement[] | undefined) ?? [];
}

const ORDER = ['role', 'permission', 'policy'] as const;

/** What a class and its method ask for, in the order in which it is checked: roles, permissions, policies. */
export function joinedRequirements(
  ofClass: readonly Requirement[],
  ofMethod: readonly Requirement[],
): readonly Requirement[] {
  return [...ofClass, ...ofMethod].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function requiring(requirement: Requirement): Decorator {
  return (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) => {
    const decorated = decoratedTarget(target, name, descriptor);
    Reflect.defineMetadata(REQUIREMENTS, [requirement, ...requirementsOn(decorated)], decorated);
  };
}

function read(decorator: string, namesAndOptions: readonly unknown[]) {
  const last = namesAndOptions.at(-1);
  const { mode = 'all' } = (typeof last === 'object' ? last : {}) as RequireOptions;
  const names = typeof last === 'object' ? namesAndOptions.slice(0, -1) : namesAndOptions;
  if (names.length === 0 || !names.every((name) => typeof name === 'string' && name !== '')) {
    throw new TypeError(`@${decorator} needs at least one name`);
  }
  return { names: names as string[], mode };
}
