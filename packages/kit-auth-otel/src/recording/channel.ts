import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Unsubscribes. */
export type Stop = () => void;

/** @param listen its parameter is a message of this channel */
export function on(channel: string, listen: (message: never) => void): Stop {
  const listener = (message: unknown) => listen(message as never);
  subscribe(channel, listener);
  return () => unsubscribe(channel, listener);
}
