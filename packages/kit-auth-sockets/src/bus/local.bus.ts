import { AsyncResource } from 'node:async_hooks';
import type { AuthBus } from 'kit-auth';

/** The bus of an application with one instance: texts stay in the process. */
export class LocalBus implements AuthBus {
  readonly isUp = true;
  private readonly listeners = new Map<string, (text: string) => void>();

  publish(channel: string, text: string): void {
    this.listeners.get(channel)?.(text);
  }

  subscribe(channel: string, listener: (text: string) => void): void {
    // Listeners do not run in the context of the request that publishes, as they do not on other instances.
    this.listeners.set(channel, AsyncResource.bind(listener));
  }
}
