import type { EndOfAll, SessionEnd, StoredSession } from './session-store.js';

/**
 * Merges an end of all sessions of a user into the stored ones. Two ends are enough to decide whether any session has
 * ended: the latest end and, if it spares a session, the latest end that did not spare that session.
 *
 * @param kept the stored entry
 * @returns `kept` itself when the end changes nothing
 * @example
 * async keepEndOfAll(end: EndOfAll): Promise<void> {
 *   await this.locked(end.id, async () => this.put(mergeEnds(await this.find(end.id), end)));
 * }
 */
export function mergeEnds(kept: StoredSession | undefined, end: EndOfAll): StoredSession {
  const { id, userId, at, by, exceptId, onBehalfOf } = end;
  if (kept !== undefined && onBehalfOf !== undefined && endOf(onBehalfOf, kept) !== undefined) {
    return kept;
  }
  const expiresAt = Math.max(end.expiresAt, kept?.expiresAt ?? 0);
  if (kept !== undefined && at <= kept.createdAt) {
    const { spared } = kept;
    if (spared !== undefined && spared.id !== exceptId && at > spared.endedAt) {
      return { ...kept, expiresAt, spared: { id: spared.id, endedAt: at, endedBy: by } };
    }
    return expiresAt > kept.expiresAt ? { ...kept, expiresAt } : kept;
  }
  const earlier = kept?.spared?.id === exceptId ? kept?.spared : kept && latestOf(kept);
  return {
    id,
    userId,
    createdAt: at,
    lastSeenAt: at,
    expiresAt,
    address: undefined,
    userAgent: undefined,
    endedBy: by,
    ...(exceptId !== undefined && {
      spared: { id: exceptId, endedAt: earlier?.endedAt ?? 0, endedBy: earlier?.endedBy },
    }),
  };
}

/** Why the stored end of all sessions ended this one. Undefined when it did not. */
export function endOf(
  session: { id: string; createdAt: number },
  kept: StoredSession | undefined,
): SessionEnd | undefined {
  if (kept === undefined) {
    return undefined;
  }
  const end = kept.spared?.id === session.id ? kept.spared : latestOf(kept);
  return session.createdAt <= end.endedAt ? end.endedBy : undefined;
}

function latestOf({ createdAt, endedBy }: StoredSession) {
  return { endedAt: createdAt, endedBy };
}
