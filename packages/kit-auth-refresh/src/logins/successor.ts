import type { RefreshSettings } from '../config/refresh.options.js';
import type { StoredLogin } from '../stores/login-store.js';
import { hashOf, newSalt, type RefreshToken, successorOf } from '../tokens/refresh-token.js';
import { answersReplays } from './replays.js';

/** A refresh token as it was presented, with its login. */
export interface Presented {
  readonly token: RefreshToken;
  readonly login: StoredLogin;
  /** The `clientKey` of the client that presented it. */
  readonly from: string;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** The secret of the next token. */
export interface Successor {
  readonly secret: Buffer;
  /** Undefined for a successor that was issued before. */
  readonly salt?: string;
}

/**
 * The next token after the presented one, or why there is none:
 *
 * - `replaced`: `POST fresh` has issued another one instead
 * - `reused`: the token was used before, by another client or too long ago
 * - `shared`: the same client just used it, but did so for too many generations in a row
 */
export function successorIn(
  { token: { secret }, login, from, now }: Presented,
  { graceSeconds, graceFor }: RefreshSettings,
): Successor | 'replaced' | 'reused' | 'shared' {
  const hash = hashOf(secret);
  if (hash === login.current) {
    const salt = newSalt();
    return { secret: successorOf(secret, salt), salt };
  }
  if (hash !== login.previous || login.rotatedAt === null) {
    return 'reused';
  }
  if (login.salt === null) {
    return 'replaced';
  }
  const isInGrace = graceSeconds > 0 && now - login.rotatedAt <= graceSeconds * 1000;
  const isSameClient = graceFor === 'anyone' || login.rotatedFrom === from;
  const same = successorOf(secret, login.salt);
  if (!isInGrace || !isSameClient || hashOf(same) !== login.current) {
    return 'reused';
  }
  return answersReplays(login) ? { secret: same } : 'shared';
}
