import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';

/** The member of data that carries the user. */
export const MEMBER = 'kitAuth';
/** The header that carries the user where data cannot. */
export const HEADER = 'kit-auth';

/** Data that carries a user. */
export type WithUser<T> = T & { readonly [MEMBER]: string };

/** True for data that can have the member: an object literal, or an instance of a class without `toJSON`. */
export function isRecord(data: unknown): data is Record<string, unknown> {
  return (
    typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data) &&
    !ArrayBuffer.isView(data) &&
    typeof (data as { toJSON?: unknown }).toJSON !== 'function'
  );
}

export function hasMember(data: unknown): data is Record<string, unknown> {
  return isRecord(data) && Object.hasOwn(data, MEMBER);
}

/** The data without its member. */
export function withoutMember<T>(data: T): T {
  if (!hasMember(data)) {
    return data;
  }
  const { [MEMBER]: _, ...rest } = data;
  return rest as T;
}

/**
 * The token of data or of its headers, or undefined.
 *
 * @param headers as the transport delivers them
 * @throws AuthException 40101 `malformed` for something else in its place, and for both
 */
export function tokenIn(data: unknown, headers: unknown): string | undefined {
  const member = hasMember(data) ? data[MEMBER] : undefined;
  const [token, ...more] = [headerIn(headers), member].filter((value) => value !== undefined);
  if (more.length > 0 || (token !== undefined && typeof token !== 'string')) {
    throw invalidToken('malformed');
  }
  return token;
}

function headerIn(headers: unknown): unknown {
  const { get, [HEADER]: member } = (headers ?? {}) as Record<string, unknown>;
  const value: unknown = typeof get === 'function' ? get.call(headers, HEADER) : member;
  // Kafka has bytes. The headers of NATS have an empty string for one that is missing.
  return Buffer.isBuffer(value) ? value.toString() : value === '' ? undefined : value;
}

/** @throws AuthException 40100 */
export function missing(): never {
  throw AuthException.refusal(AuthErrorCode.TOKEN_MISSING, {
    message: 'The data carries no user. Create it with UserCarrier',
  });
}
