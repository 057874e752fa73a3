import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KitAuthSettings } from 'kit-auth';
import { SessionCleaner } from './session.cleaner.js';
import { MemorySessionStore } from './stores/memory.session-store.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('SessionCleaner', () => {
  it.each([
    [true, 1, 1],
    [false, 0, 77],
  ])('with kit.auth.enabled %j cleans %d times in %d minutes', async (enabled, times, minutes) => {
    const store = new MemorySessionStore();
    const prune = jest.spyOn(store, 'prune');
    const cleaner = new SessionCleaner(store, { enabled } as KitAuthSettings);
    cleaner.onModuleInit();
    await jest.advanceTimersByTimeAsync(minutes * 60_000);
    expect(prune).toHaveBeenCalledTimes(times);
    await cleaner.onApplicationShutdown();
  });
});
