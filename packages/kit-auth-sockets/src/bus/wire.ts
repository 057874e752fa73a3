export type BusMessage = readonly [channel: string, text: string];

/** What a wire tells its bus. */
export interface WireEvents {
  readonly heard: (channel: string, text: string) => void;
  /** The wire no longer works. */
  readonly lost: (error: unknown) => void;
}

/** Connections to a server that passes on texts. Not used again after it was lost. */
export interface Wire {
  /** Connects, and listens to the channels. Called once. */
  open(channels: readonly string[], events: WireEvents): Promise<void>;
  /** Called again only when the promise has settled. */
  send(messages: readonly BusMessage[]): Promise<unknown>;
  /** Closes the connections at once. */
  close(): void;
}
