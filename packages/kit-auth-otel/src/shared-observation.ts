import { IllegalStateException } from 'kit-auth';
import { describeError } from 'kit-auth/tools';
import type { Stop } from './recording/channel.js';

// Diagnostics channels belong to the process: the first application subscribes for all of them, and the last one that
// closes unsubscribes.
let applications = 0;
let stop: Stop | undefined;

/** @throws IllegalStateException when `@opentelemetry/api` cannot be loaded */
export async function joinObservation(): Promise<void> {
  const { observe } = await import('./recording/observe.js').catch((error: unknown) => {
    throw new IllegalStateException(
      'KitAuthOtelModule cannot load @opentelemetry/api. Install it with "npm install @opentelemetry/api", or remove ' +
        `KitAuthOtelModule: ${describeError(error)}`,
    );
  });
  stop ??= observe();
  applications++;
}

export function leaveObservation(): void {
  applications--;
  if (applications === 0) {
    stop?.();
    stop = undefined;
  }
}
