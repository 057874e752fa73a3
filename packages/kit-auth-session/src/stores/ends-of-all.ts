import type { EndOfAll, SessionEnd, StoredSession } from './session-store.js';

/**
 * The ends of all sessions of a user, as one. Two ends are enough for an exact answer about every session, however
 * many there were: the latest, and, when that spares a session, the latest that did not spare this session.
 *
 * @param kept what was kept before
 * @returns `kept` itself when the end changes nothing
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
    ...{ id, userId, createdAt: at, lastSeenAt: at, expiresAt, address: undefined, userAgent: undefined },
    endedBy: by,
    ...(exceptId !== undefined && {
      spared: { id: exceptId, endedAt: earlier?.endedAt ?? 0, endedBy: earlier?.endedBy },
    }),
  };
}

/** The reason for which a session is over by the ends of all sessions of its user; undefined when it is not. */
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
