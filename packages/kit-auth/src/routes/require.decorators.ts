import { inspect } from 'node:util';
import { type CustomDecorator, SetMetadata, type Type } from '@nestjs/common';
import type { AuthPolicy } from '../contract/auth-policy.js';
import type { Requirement } from '../contract/requirement.js';
import { decoratedTarget } from './decorated-method.js';
import { type FreshOptions, readFreshOptions } from './fresh-options.js';
import { isPermission } from './permission.js';

export interface RequireOptions {
  /** Whether the user needs all of them, or any one. Default `all`. */
  mode?: 'all' | 'any';
}

const REQUIREMENTS = 'kit-auth:requirements';
/** The requirement of `@RequireToken()`. */
export const ONLY_A_TOKEN: Requirement = { kind: 'role', names: [], mode: 'all' };

type Decorator = ClassDecorator & MethodDecorator;
type NamesAndOptions = [...names: [string, ...string[]], options: RequireOptions] | [string, ...string[]];

/**
 * Requires roles, by their codes. Included roles count; super administrators have every role. On a class, it applies to
 * all methods, in addition to their own requirements. It also protects routes that `protect` does not cover. A user who lacks
 * a role gets 40300 with the roles as `missing`. `@Public()` on a method opens it despite the requirements of its
 * class.
 *
 * @throws TypeError when there are no names
 *
 * @example
 * ```ts
 * @Delete(':id')
 * @RequireRoles('editor', 'moderator', { mode: 'any' })
 * remove(@Param('id') id: string) {}
 * ```
 */
export function RequireRoles(...namesAndOptions: NamesAndOptions): Decorator {
  return requiring({ kind: 'role', ...read('RequireRoles', namesAndOptions) });
}

/**
 * Requires permissions such as `note:read`. Works like `RequireRoles`.
 *
 * @throws TypeError for a name that is not a permission or contains `*`
 *
 * @example
 * ```ts
 * @Get()
 * @RequirePermissions('note:read')
 * list() {}
 * ```
 */
export function RequirePermissions(...namesAndOptions: NamesAndOptions): Decorator {
  const { names, mode } = read('RequirePermissions', namesAndOptions);
  const wrong = names.find((name) => !isPermission(name) || name.includes('*'));
  if (wrong !== undefined) {
    throw new TypeError(
      `@RequirePermissions: ${JSON.stringify(wrong)} is not a permission such as "note:read"`,
    );
  }
  return requiring({ kind: 'permission', names, mode });
}

/**
 * Requires a token and nothing else, whatever `protect` covers. Messages of WebSocket gateways and microservices carry
 * none: their handlers refuse every message with 40100. This is the same for the other decorators that require something.
 *
 * @example
 * ```ts
 * @Controller('account')
 * @RequireToken()
 * export class AccountController {}
 * ```
 */
export function RequireToken(): Decorator {
  return requiring(ONLY_A_TOKEN);
}

/**
 * Requires that the user has shown a factor a short time ago, such as the password at the login. Use it for actions
 * that a stolen token must not allow. Otherwise the answer is 40120: the client sends the password to `POST
 * /v1/api/auth/fresh`, and repeats the request with the new token.
 *
 * Default: ten minutes, and any factor but `key`, `email` and `recovery`.
 *
 * @param options `within`, for example `'90s'`, `'10m'` or `'1h'`, or an object with `within` and `factors`
 * @throws TypeError for other values, and for unknown factors
 *
 * @example
 * ```ts
 * @Delete()
 * @RequireFresh('5m')
 * closeAccount() {}
 * ```
 */
export function RequireFresh(options?: string | FreshOptions): Decorator {
  return requiring({ kind: 'fresh', ...readFreshOptions(options) });
}

/**
 * Requires that a policy, an injectable class of the application, allows the request.
 *
 * @example
 * ```ts
 * @Patch(':id')
 * @Authorize(NoteAuthor)
 * update(@Param('id') id: string) {}
 * ```
 */
export function Authorize(policy: Type<AuthPolicy>): Decorator {
  return requiring({ kind: 'policy', policy });
}

/** On a class or method: whether requests without a token are admitted, and how, for `@OptionalUser()`. */
export const OPENING = 'kit-auth:public';
export type Opening = boolean | OptionalUserOptions;

/**
 * Opens a handler to requests without a token. On a class, it opens all handlers, including those of derived classes. A
 * decorator on a method takes precedence over one on its class. `@Public(false)` protects what a base class opened.
 *
 * @example
 * ```ts
 * @Public()
 * @Get('health')
 * health() {
 *   return { status: 'ok' };
 * }
 * ```
 */
export const Public = (open = true): Decorator => opening(open);

/** How `@OptionalUser()` treats tokens. */
export interface OptionalUserOptions {
  /**
   * The effect of an invalid or expired token: `refuse` answers 40101, so that clients refresh it, and `anonymous` admits
   * the request without a user. Default `refuse`.
   */
  readonly invalid?: 'refuse' | 'anonymous';
}

/**
 * Opens a handler to requests without a token, and reads the token of those that have one. `@CurrentUser()` is then the
 * user, otherwise undefined. Users whom protected routes refuse are refused here too, for example with 40301. On a class, it
 * applies to all handlers. A decorator on a method takes precedence over one on its class.
 *
 * Messages of gateways and microservices carry no token, so it is `@Public()` there.
 *
 * Answers have a `Vary` header with the token header and, with cookies, `Cookie`. Those to users get
 * `Cache-Control: private`.
 *
 * @throws TypeError for an unknown value of `invalid`, and beside `@Public()`
 *
 * @example
 * ```ts
 * @Get()
 * @OptionalUser()
 * list(@CurrentUser() user: LoginUser | undefined): Promise<Article[]> {
 *   return user === undefined ? this.articles.published() : this.articles.visibleTo(user.userId);
 * }
 * ```
 */
export function OptionalUser({ invalid = 'refuse' }: OptionalUserOptions = {}): Decorator {
  if (!['refuse', 'anonymous'].includes(invalid)) {
    throw new TypeError(`@OptionalUser: invalid must be 'refuse' or 'anonymous', not ${inspect(invalid)}`);
  }
  return opening({ invalid });
}

function opening(value: Opening): Decorator {
  return (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) => {
    const decorated = decoratedTarget(target, name, descriptor);
    const other = Reflect.getOwnMetadata(OPENING, decorated) as Opening | undefined;
    if (other !== undefined && typeof other !== typeof value) {
      throw new TypeError(
        `@Public() and @OptionalUser() exclude each other: ${(decorated as Type).name} has both`,
      );
    }
    Reflect.defineMetadata(OPENING, value, decorated);
  };
}

export const BEFORE_ENROLMENT = 'kit-auth:before-enrolment';

/**
 * Admits users who need a login with a second factor first. All other protected routes answer 40303 to them. For
 * `@KitAuthController()` classes and their methods.
 *
 * @example
 * ```ts
 * @KitAuthController('passkeys')
 * @BeforeEnrolment()
 * export class PasskeyController {}
 * ```
 */
export const BeforeEnrolment = (): CustomDecorator => SetMetadata(BEFORE_ENROLMENT, true);

export const BEFORE_PASSWORD_CHANGE = 'kit-auth:before-password-change';

/** Admits users who must choose a new password first. All other protected handlers answer 40301 to them. */
export const BeforePasswordChange = (): CustomDecorator => SetMetadata(BEFORE_PASSWORD_CHANGE, true);

/** The requirements on a class, including its base classes, or on a method. */
export function requirementsOn(target: object): readonly Requirement[] {
  return (Reflect.getMetadata(REQUIREMENTS, target) as readonly Requirement[] | undefined) ?? [];
}

/** Permissions come first: a user without them is not asked for a password. */
const ORDER = ['role', 'permission', 'fresh', 'policy'] as const;

/**
 * The requirements of a class and its method in the order in which they are checked: roles, permissions, fresh logins,
 * policies.
 */
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

export const FOR_ACTORS = 'kit-auth:for-actors';

/**
 * Admits actors (`LoginProof.actor`) to a method of a `@KitAuthController()` class that changes
 * something without a permission. All other such methods answer 40300 to them.
 */
export const ForActors = (): CustomDecorator => SetMetadata(FOR_ACTORS, true);
