import { Logger } from '@nestjs/common';
import type { LoginProof, ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { invalidToken } from '../errors/auth.exception.js';
import { isObject } from './port.js';

const MAX_FACTORS = 16;
/** `prototype` is what constructors have. */
const FACTOR_NAME = /^(?!prototype$)[\w-]{1,32}$/;

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
    throw invalidToken();
  }
  if (!Object.isFrozen(user)) {
    Object.freeze(user.roles);
    Object.freeze(user.permissions);
    Object.freeze(user);
  }
  return { user, proof };
}

/** Whether these are factors that every token can carry: at most 16, each with a name and a time. */
export function isFactors(value: unknown): value is LoginProof['factors'] {
  const factors = isObject(value) ? Object.entries(value) : undefined;
  return (
    factors !== undefined &&
    factors.length <= MAX_FACTORS &&
    factors.every(([name, time]) => isFactor(name, time))
  );
}

/**
 * Whether a factor can have this name and this time, in seconds since 1970. A name that objects have without it, such as
 * `__proto__`, would be lost or misread when the factors are copied.
 */
export function isFactor(name: string, time: unknown): time is number {
  return FACTOR_NAME.test(name) && !(name in Object.prototype) && isFactorTime(time);
}

/** Whether a value is a valid factor timestamp: seconds since 1970. */
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
