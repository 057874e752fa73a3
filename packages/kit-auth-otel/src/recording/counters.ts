import type { Attributes, Meter } from '@opentelemetry/api';
import type { AuthDecisionMessage, AuthLoginMessage, AuthSocketMessage, AuthThrottleMessage } from 'kit-auth';
import { outcomeOf } from './attributes.js';
import { on, type Stop } from './channel.js';

/** Counts the decisions of the guard, the logins, the attempts that a limit refused, and the sockets. */
export function countEvents(meter: Meter): Stop[] {
  const decisions = meter.createCounter('kit_auth.decisions', {
    unit: '{decision}',
    description: 'Decisions whether a request may go on.',
  });
  const logins = meter.createCounter('kit_auth.logins', {
    unit: '{login}',
    description: 'Logins, and steps of logins, that have ended.',
  });
  const throttled = meter.createCounter('kit_auth.throttled_attempts', {
    unit: '{attempt}',
    description: 'Attempts that were refused because there were too many before.',
  });
  const open = meter.createUpDownCounter('kit_auth.sockets', {
    unit: '{socket}',
    description: 'Sockets that are open.',
  });
  const ends = meter.createCounter('kit_auth.socket_ends', {
    unit: '{socket}',
    description: 'Sockets that the server has refused or closed.',
  });
  return [
    on('kit-auth:socket', ({ via, outcome, reason }: AuthSocketMessage) => {
      const attributes = { 'kit_auth.via': via };
      if (outcome !== 'refused') {
        open.add(outcome === 'opened' ? 1 : -1, attributes);
      }
      if (reason !== undefined) {
        ends.add(1, { ...attributes, 'kit_auth.outcome': outcome, 'kit_auth.reason': reason });
      }
    }),
    on('kit-auth:decision', (message: AuthDecisionMessage) => decisions.add(1, decisionOf(message))),
    on('kit-auth:login', ({ outcome }: AuthLoginMessage) => logins.add(1, { 'kit_auth.outcome': outcome })),
    on('kit-auth:throttle', ({ limit }: AuthThrottleMessage) =>
      throttled.add(1, { 'kit_auth.limit': limit }),
    ),
  ];
}

function decisionOf(message: AuthDecisionMessage): Attributes {
  const { via, scheme } = message;
  return {
    'kit_auth.via': via,
    ...(scheme !== undefined && { 'kit_auth.scheme': scheme }),
    ...outcomeOf(message),
  };
}
