import { hash } from 'node:crypto';
import type { Client } from 'kit-auth';
import { networkOf } from 'kit-auth/tools';
import type { RefreshSettings } from '../refresh.options.js';
import type { Replay, StoredLogin } from '../stores/login-store.js';
import { hashOf, newSalt, type RefreshToken, successorOf } from '../tokens/refresh-token.js';

const MAX_AGENT = 1024;
/** A client sometimes loses an answer. An attacker who shares its tokens replays in every generation. */
const MAX_REPLAYS_IN_A_ROW = 2;
const MAX_ROTATIONS = 2 ** 31 - 1;

/** A refresh token as it was presented, with its login. */
export interface PresentedToken {
  readonly token: RefreshToken;
  readonly login: StoredLogin;
  /** The `clientKey` of the client that presented it. */
  readonly from: string;
  /** Milliseconds since 1970. */
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
  { token: { secret }, login, from, now }: PresentedToken,
  { graceSeconds, graceFor }: RefreshSettings,
): Successor | 'replaced' | 'reused' | 'shared' {
  const hashed = hashOf(secret);
  if (hashed === login.current) {
    const salt = newSalt();
    return { secret: successorOf(secret, salt), salt };
  }
  if (hashed !== login.previous || login.rotatedAt === null) {
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

/** A hash of the address and user agent of a client. The first 64 bits of an IPv6 address count. */
export function clientKey(client: Client | undefined): string {
  const { address = '', userAgent = '' } = client ?? {};
  const parts = [networkOf(address) ?? address, userAgent.slice(0, MAX_AGENT)];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

type ReplayColumns = Pick<StoredLogin, 'rotations' | 'replayedIn' | 'replays'>;

/** The generation after `rotations`. */
export function nextRotation(rotations: number): number {
  return rotations < MAX_ROTATIONS ? rotations + 1 : 0;
}

/** Whether a replay is answered. After replays in two generations in a row, replays of later generations are not. */
function answersReplays({ rotations, replayedIn, replays }: ReplayColumns): boolean {
  return (replays ?? 0) < MAX_REPLAYS_IN_A_ROW || replayedIn === rotations;
}

/** The columns that the first replay of a generation changes. */
export function replayOf({ rotations, replayedIn, replays }: ReplayColumns): Replay {
  const isInARow = replayedIn !== null && nextRotation(replayedIn) === rotations;
  return { replayedIn: rotations, replays: isInARow ? (replays ?? 0) + 1 : 1 };
}
