import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What is published on a channel of `node:diagnostics_channel` during some work. */
export async function published<T = unknown>(channel: string, work: () => unknown): Promise<T[]> {
  const messages: T[] = [];
  const listener = (message: unknown) => void messages.push(message as T);
  subscribe(channel, listener);
  try {
    await work();
  } finally {
    unsubscribe(channel, listener);
  }
  return messages;
}
