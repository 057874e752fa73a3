import { expect, it, jest } from '@jest/globals';
import { KitAuthContext } from '../context/kit-auth.context.js';
import { EventPublisher } from '../events/event.publisher.js';
import type { OneTimeTokens } from '../store/one-time/one-time.tokens.js';
import type { Ports } from '../ports/ports.js';
import { ChallengeCleanup } from '../store/second-factor/challenge.cleanup.js';
import type { AuthEventType } from './auth-event.js';

/** Whether a sink of the core that reacts to changes gets events of a type. */
async function reachesCleanups(type: AuthEventType): Promise<boolean> {
  const sink = new ChallengeCleanup({} as OneTimeTokens);
  const keep = jest.spyOn(sink, 'keep');
  const discovery = { getProviders: () => [] };
  const events = new EventPublisher(
    discovery as never,
    { sinks: [sink] } as unknown as Ports,
    new KitAuthContext(),
    { extensionTimeoutMs: 50 },
  );
  events.onModuleInit();
  events.begin().note({ type });
  await events.beforeApplicationShutdown();
  return keep.mock.calls.length > 0;
}

it.each<AuthEventType>(['login', 'login-failed', 'login-throttled', 'access-denied'])(
  'sinks that react to changes do not hear of %s, which every client can cause',
  async (type) => expect(await reachesCleanups(type)).toBe(false),
);

it.each<AuthEventType>(['sessions-ended', 'login-ended', 'user-deleted'])(
  'sinks that react to changes hear of %s',
  async (type) => expect(await reachesCleanups(type)).toBe(true),
);
