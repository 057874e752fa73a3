import type { Replay, StoredLogin } from '../stores/login-store.js';

/**
 * An honest client sometimes loses an answer. An attacker who shares the tokens of the owner replays in every
 * generation.
 */
const MOST_IN_A_ROW = 2;
const MAX_ROTATIONS = 2 ** 31 - 1;

type Replayed = Pick<StoredLogin, 'rotations' | 'replayedIn' | 'replays'>;

/** The generation after `rotations`. */
export function nextRotation(rotations: number): number {
  return rotations < MAX_ROTATIONS ? rotations + 1 : 0;
}

/** Whether a replay is answered. After replays in two generations in a row, replays of later generations are not. */
export function answersReplays({ rotations, replayedIn, replays }: Replayed): boolean {
  return (replays ?? 0) < MOST_IN_A_ROW || replayedIn === rotations;
}

/** What the first replay of a generation changes. */
export function replayOf({ rotations, replayedIn, replays }: Replayed): Replay {
  const isInARow = replayedIn !== null && nextRotation(replayedIn) === rotations;
  return { replayedIn: rotations, replays: isInARow ? (replays ?? 0) + 1 : 1 };
}
