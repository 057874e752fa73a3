import { type AuthErrorBody, AuthErrorCode, AuthException, type LoginUser, type RouteAccess } from 'kit-auth';

/** The answer to a user who calls a route, with its reasons. */
export interface Explanation {
  readonly route: RouteAccess;
  /** The decorator or option that makes the route open or protected. */
  readonly decidedBy: string;
  /** The implementation or credential that resolves the token, for example `issuer:keycloak`. Only with a token. */
  readonly resolver?: string;
  /** Hint about a token of an issuer that is not configured. */
  readonly foreignIssuer?: string;
  /** Undefined for a route that needs no token, and for a token that is refused. */
  readonly user?: ExplainedUser;
  /** In the order of the guard. It ends at the first one that is missing. */
  readonly checks: readonly Check[];
  readonly answer: Answer;
}

export type ExplainedUser = Pick<LoginUser, 'userId' | 'username'> & { readonly enabled: boolean } & Partial<
    Pick<LoginUser, 'superAdmin' | 'roles' | 'permissions'>
  >;

export interface Check {
  readonly result: 'met' | 'missing' | 'depends';
  /** For example `permission note:read`. */
  readonly requirement: string;
  /** A condition, or for how long the requirement is met. */
  readonly note?: string;
  /** The answer to a request that does not meet it. */
  readonly refusal?: Refusal;
}

export interface Refusal {
  readonly code: number;
  readonly error: string;
  readonly message: string;
  readonly missing?: readonly string[];
  /** For example `expired`. */
  readonly reason?: string;
}

export type Answer = { readonly result: 'admitted' | 'depends' } | ({ readonly result: 'refused' } & Refusal);

export function answerOf(checks: readonly Check[]): Answer {
  const missing = checks.find(({ refusal }) => refusal !== undefined)?.refusal;
  return missing === undefined
    ? { result: checks.some(({ result }) => result === 'depends') ? 'depends' : 'admitted' }
    : { result: 'refused', ...missing };
}

/** Runs a check of the guard. Returns the refusal, and rethrows other errors. */
export async function checkOf(requirement: string, check: () => unknown): Promise<Check> {
  try {
    await check();
    return { result: 'met', requirement };
  } catch (error) {
    if (error instanceof AuthException && error.code !== AuthErrorCode.AUTH_UNAVAILABLE) {
      return { result: 'missing', requirement, refusal: refusalOf(error) };
    }
    throw error;
  }
}

function refusalOf(error: AuthException): Refusal {
  const { code, error: name, message, missing, reason } = error.getResponse() as AuthErrorBody;
  return { code, error: name, message, ...(missing && { missing }), ...(reason !== undefined && { reason }) };
}
