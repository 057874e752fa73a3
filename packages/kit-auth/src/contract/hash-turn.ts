/** Describes who waits for a password hash. Determines the place in the queue. */
export interface HashTurn {
  /** Groups take turns. All attempts from one network are one group. */
  readonly group: string;
  /** Known devices have their own places in the queue and go first. */
  readonly isKnown: boolean;
  /** Whether the client has disconnected. No hash is computed for it then. */
  hasLeft(): boolean;
}

/** The turn of hashes outside of requests: at start-up, and for commands of `npx kit-auth`. */
export const OWN_TURN: HashTurn = { group: 'own', isKnown: false, hasLeft: () => false };
