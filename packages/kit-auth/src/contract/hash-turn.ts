/** Who waits for a password to be hashed. It decides the place in the queue. */
export interface HashTurn {
  /** Groups take turns. All attempts from one network are one group. */
  readonly group: string;
  /** Known devices have their own places in the queue and go first. */
  readonly isKnown: boolean;
  /** Whether the client has disconnected. Nothing is hashed for it then. */
  hasLeft(): boolean;
}

/** For hashes outside of requests: at start-up, and for commands of `npx kit-auth`. */
export const OWN_TURN: HashTurn = { group: 'own', isKnown: false, hasLeft: () => false };
