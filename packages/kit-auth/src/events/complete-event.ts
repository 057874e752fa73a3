import type { AuthEvent, NotedEvent } from '../contract/auth-event.js';
import { plainText } from '../errors/describe.js';

/** Who acts, and from where. */
export type Origin = Pick<AuthEvent, 'actorId' | 'actor' | 'address'>;

/** @param noted what the author of the event says. The rest comes from the action */
export function complete(
  { type, subjectId, subject, success = true, detail, endsKeys, endedSessions }: NotedEvent,
  { actorId, actor, address }: Origin,
): AuthEvent {
  return Object.freeze({
    type,
    at: new Date(),
    actorId,
    actor,
    subjectId: subjectId ?? null,
    subject: plain(subject),
    success,
    detail: plain(detail),
    address,
    ...(endsKeys && { endsKeys }),
    ...(endedSessions !== undefined && { endedSessions }),
  });
}

export function plain(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : plainText(text);
}
