import type { RefreshSettings } from '../config/refresh.options.js';
import type { StoredLogin } from '../stores/login-store.js';
import { hashOf, newSalt, type RefreshToken, successorOf } from '../tokens/refresh-token.js';

/** A refresh token as it was presented, with its login. */
export interface Presented {
  readonly token: RefreshToken;
  readonly login: StoredLogin;
  /** The `clientKey` of who presented it. */
  readonly from: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** The secret of the next token. */
export interface Successor {
  readonly secret: Buffer;
  /** Undefined for a successor that was given to somebody before. */
  readonly salt?: string;
}

/**
 * The next token after the presented one.
 *
 * @returns `replaced` when `POST fresh` has issued another one instead; undefined when the token was used before, and not
 * just now by the same client
 */
export function successorIn(
  { token: { secret }, login, from, now }: Presented,
  { graceSeconds, graceFor }: RefreshSettings,
): Successor | 'replaced' | undefined {
  const hash = hashOf(secret);
  if (hash === login.current) {
    const salt = newSalt();
    return { secret: successorOf(secret, salt), salt };
  }
  if (hash !== login.previous || login.rotatedAt === null) {
    return undefined;
  }
  if (login.salt === null) {
    return 'replaced';
  }
  const isInGrace = graceSeconds > 0 && now - login.rotatedAt <= graceSeconds * 1000;
  const isSameClient = graceFor === 'anyone' || login.rotatedFrom === from;
  const same = successorOf(secret, login.salt);
  return isInGrace && isSameClient && hashOf(same) === login.current ? { secret: same } : undefined;
}
