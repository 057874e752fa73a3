/** Who waits for a password to be hashed. The queue for hashes goes by it. */
export interface HashTurn {
  /** Groups take turns. All attempts from one network are one group. */
  readonly group: string;
  /** A known device has places of its own in the queue, and goes first. */
  readonly isKnown: boolean;
  /** Whether the client has closed its connection. No hash is started for an answer that nobody waits for. */
  hasLeft(): boolean;
}

/** For hashes that no login asks for, such as those of new passwords. */
export const OWN_TURN: HashTurn = { group: 'own', isKnown: false, hasLeft: () => false };
