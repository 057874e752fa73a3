import { Logger } from '@nestjs/common';
import type { ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';

const logger = new Logger('KitAuth');

/**
 * A login that can be relied on: of the right form, and frozen, so that a handler cannot change what another request
 * sees where an implementation shares the object.
 *
 * @throws AuthException 40101 for anything that is not a login
 */
export function checkedLogin(login: unknown, scheme: string, idType: 'number' | 'string'): ResolvedLogin {
  const { user, proof } = (login ?? {}) as Partial<Record<keyof ResolvedLogin, unknown>>;
  if (!isLoginUser(user, idType) || !isProof(proof)) {
    logger.error(`[auth] ${scheme} resolved a token to something that is not a user`);
    throw new AuthException(AuthErrorCode.TOKEN_INVALID);
  }
  if (!Object.isFrozen(user)) {
    Object.freeze(user.roles);
    Object.freeze(user.permissions);
    Object.freeze(user);
  }
  return { user, proof };
}

/** Whether this is a time that a factor was shown at: seconds since 1970. */
export function isFactorTime(time: unknown): time is number {
  return Number.isSafeInteger(time) && (time as number) >= 0;
}

function isLoginUser(value: unknown, idType: string): value is LoginUser {
  const user = (value ?? {}) as Partial<Record<keyof LoginUser, unknown>>;
  return (
    typeof user.userId === idType &&
    user.userId !== '' &&
    typeof user.username === 'string' &&
    typeof user.nickname === 'string' &&
    typeof user.superAdmin === 'boolean' &&
    Array.isArray(user.roles) &&
    Array.isArray(user.permissions)
  );
}

function isProof(value: unknown): value is ResolvedLogin['proof'] {
  const factors = (value as Partial<ResolvedLogin['proof']> | null | undefined)?.factors as unknown;
  return typeof factors === 'object' && factors !== null;
}
