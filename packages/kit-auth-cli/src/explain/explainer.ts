import type { ExecutionContext, INestApplication } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginUser,
  type Principal,
  type Requirement,
  RouteAccessReport,
  type StoredUser,
} from 'kit-auth';
import { asksForMore, AUTH_ERROR_MESSAGES, described, needOf } from 'kit-auth/cli';
import { AccessChecker, type DecidedRoute, requiresToken } from 'kit-auth/tools';
import { ActiveProvider, Factors, type ResolvedPrincipal, TokenResolver } from 'kit-auth/login';
import { ActiveUserStore, Ports } from 'kit-auth/feature';
import { decidedBy } from './decided-by.js';
import { answerOf, type Check, checkOf, type ExplainedUser, type Explanation } from './explanation.js';

/** The caller: a user who has just logged in, or the owner of a token. */
export type Caller = { readonly account: StoredUser } | { readonly token: string };

/** Determines what happens when users call routes. Uses the classes of the guard. */
export class Explainer {
  private readonly settings: KitAuthSettings;
  private readonly checker: AccessChecker;

  /** @param app initialized */
  constructor(private readonly app: INestApplication) {
    this.settings = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
    this.checker = app.get(AccessChecker);
  }

  /** @param path the path of the request. Undefined if only the route is known */
  async explain(route: DecidedRoute, path: string | undefined, caller: Caller): Promise<Explanation> {
    const [access] = this.app.get(RouteAccessReport).accessesOf([route]);
    const needsToken = path === undefined ? undefined : requiresToken(route.rule, { url: path });
    const known = {
      route: access as Explanation['route'],
      decidedBy: decidedBy(route.rule, {
        ...this.settings,
        needsToken,
        isExplicit: access?.explicit === true,
      }),
    };
    const isRead = route.rule.optional !== undefined || (needsToken ?? requiresToken(route.rule, UNKNOWN));
    if (!this.settings.enabled || !isRead) {
      return { ...known, checks: [], answer: { result: 'admitted' } };
    }
    const explanation =
      'token' in caller ? await this.ofToken(route, caller.token) : await this.ofUser(route, caller.account);
    const isAnonymous =
      route.rule.optional?.invalid === 'anonymous' &&
      explanation.checks.some(({ refusal }) => refusal?.code === AuthErrorCode.TOKEN_INVALID);
    const checks = isAnonymous ? [] : explanation.checks;
    return { ...known, ...explanation, checks, answer: answerOf(checks) };
  }

  private async ofUser(route: DecidedRoute, account: StoredUser): Promise<Explained> {
    const user = await this.app.get(ActiveUserStore).loadLoginUser(account.id);
    const checks =
      user === undefined ? [NOT_ENABLED] : await this.checksOf(route, await this.principalOf(user));
    return { user: explained(account, user), checks };
  }

  private async ofToken(route: DecidedRoute, token: string): Promise<Explained> {
    const ports = this.app.get(Ports);
    const resolver = ports.credentialOf(token)?.scheme ?? this.app.get(ActiveProvider).get().extensionName;
    let principal: ResolvedPrincipal | undefined;
    const check = await checkOf('a valid token', async () => {
      principal = await this.app.get(TokenResolver).resolve(token);
    });
    if (principal === undefined) {
      const foreignIssuer = foreignIssuerOf(token, ports);
      return { resolver, ...(foreignIssuer !== undefined && { foreignIssuer }), checks: [check] };
    }
    const { user } = principal;
    return {
      resolver,
      user: explained({ id: user.userId, username: user.username, enabled: true }, user),
      checks: [...(await this.ofCredential(route, principal)), ...(await this.checksOf(route, principal))],
    };
  }

  /** The check of a credential that limits routes. Empty if it allows the route. */
  private async ofCredential(
    { controller, handler, rule: { requirements, ours = false } }: DecidedRoute,
    principal: ResolvedPrincipal,
  ): Promise<Check[]> {
    const { credential } = principal;
    if (credential?.authorize === undefined) {
      return [];
    }
    const route = { controller, handler, requirements, ours };
    const check = await checkOf(`a route for ${principal.scheme}`, () =>
      credential.authorize?.(principal, route),
    );
    return check.result === 'missing' ? [check] : [];
  }

  private async checksOf(route: DecidedRoute, principal: Principal): Promise<Check[]> {
    const { rule } = route;
    const before = [
      await checkOf('an own password', () => this.checker.checkPasswordChange(principal.user, rule)),
      await checkOf('a second factor', () => this.checker.checkEnrolment(principal, rule)),
    ];
    const checks: Check[] = before.filter(({ result }) => result === 'missing');
    for (const requirement of rule.requirements.filter(asksForMore)) {
      checks.push(await this.requirementCheck(requirement, principal, route));
    }
    return checks;
  }

  private async requirementCheck(
    requirement: Requirement,
    principal: Principal,
    { controller, handler }: DecidedRoute,
  ): Promise<Check> {
    const text = needOf(described(requirement));
    if (requirement.kind === 'policy') {
      return { result: 'depends', requirement: text, note: 'the application asks it with each request' };
    }
    const request = { getClass: () => controller, getHandler: () => handler } as unknown as ExecutionContext;
    const check = await checkOf(text, () =>
      this.checker.check(principal, [requirement], request, WITHOUT_EVENTS),
    );
    return requirement.kind === 'fresh' && check.result === 'met' ? { ...check, note: LATER } : check;
  }

  /** A fresh login with all factors of the user. */
  private async principalOf(user: LoginUser): Promise<Principal> {
    const { names } = await this.app.get(Factors).secondOf(user);
    const now = Math.floor(Date.now() / 1000);
    const scheme = this.app.get(ActiveProvider).get().extensionName;
    const proof = {
      factors: Object.fromEntries(['password', ...names].map((name) => [name, now])),
    };
    return { user, proof, scheme, token: '' };
  }
}

type Explained = Pick<Explanation, 'resolver' | 'foreignIssuer' | 'user' | 'checks'>;

const MAX_ISSUER_LENGTH = 200;

/** A request whose path is not plain is not exempted. */
const UNKNOWN = { url: '' };

const LATER = `for a login that is older: ${AuthErrorCode.FRESH_LOGIN_REQUIRED} FRESH_LOGIN_REQUIRED`;

const NOT_ENABLED: Check = {
  result: 'missing',
  requirement: 'an enabled account',
  note: `POST login answers ${AuthErrorCode.USER_DISABLED} USER_DISABLED`,
  refusal: {
    code: AuthErrorCode.TOKEN_INVALID,
    error: 'TOKEN_INVALID',
    message: AUTH_ERROR_MESSAGES[AuthErrorCode.TOKEN_INVALID],
  },
};

/** A refusal here must not publish an event. */
const WITHOUT_EVENTS: AuthAction = {
  user: undefined,
  run: (fn) => fn(),
  note: () => undefined,
  keep: () => Promise.reject(new Error('There is no change.')),
};

function explained(
  { id, username, enabled }: Pick<StoredUser, 'id' | 'username' | 'enabled'>,
  user: LoginUser | undefined,
): ExplainedUser {
  const { superAdmin, roles, permissions } = user ?? {};
  return {
    userId: id,
    username,
    enabled: enabled && user !== undefined,
    ...(user && { superAdmin, roles, permissions }),
  } as ExplainedUser;
}

/** Hint: no configured issuer equals `iss` (often a typo). Undefined for all other tokens. */
function foreignIssuerOf(token: string, { provider, credentials }: Ports): string | undefined {
  const issuer = issuerOf(token);
  const accepted = [provider?.issuer, ...credentials.flatMap(({ issuers }) => issuers ?? [])].filter(
    (it) => it !== undefined,
  );
  if (issuer === undefined || accepted.length === 0 || accepted.includes(issuer)) {
    return undefined;
  }
  return `Its iss is ${JSON.stringify(issuer.slice(0, MAX_ISSUER_LENGTH))}. The application accepts tokens of ${accepted.join(', ')}.`;
}

function issuerOf(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      iss?: unknown;
    } | null;
    return typeof claims?.iss === 'string' ? claims.iss : undefined;
  } catch {
    return undefined;
  }
}
