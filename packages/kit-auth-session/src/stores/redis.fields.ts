import { isStringId, userIdFrom } from 'kit-auth/login';
import type { Session, SessionEnd, SparedSession, StoredSession } from './session-store.js';

/** The values of `FIELDS`, as HMGET returns them. */
export type Fields = (string | null)[];

export const FIELDS = [
  'id',
  'userId',
  'createdAt',
  'lastSeenAt',
  'expiresAt',
  'address',
  'userAgent',
  'endedBy',
  'spared',
  'proof',
  'successorId',
];

/** The fields of a session to store, as names and values in turn. */
export function fieldsOf(session: Session & Pick<Partial<StoredSession>, 'successorId'>): string[] {
  const { id, userId, createdAt, lastSeenAt, expiresAt, address, userAgent, proof, successorId } = session;
  const fields = { id, userId, createdAt, lastSeenAt, expiresAt, address, userAgent, proof, successorId };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, String(value)],
  );
}

/** @returns undefined for a missing key */
export function readFields([id, ...fields]: Fields): StoredSession | 'invalid' | undefined {
  if (id === null && fields.every((field) => field === null)) {
    return undefined;
  }
  const [userId, createdAt, lastSeenAt, expiresAt, ...optional] = fields;
  const [address, userAgent, endedBy, spared, proof, successorId] = optional;
  const session: StoredSession = {
    id: id ?? '',
    userId: userId === null || userId === undefined ? NaN : userIdFrom(id ?? '', userId),
    createdAt: Number(createdAt ?? NaN),
    lastSeenAt: Number(lastSeenAt ?? NaN),
    expiresAt: Number(expiresAt ?? NaN),
    address: address ?? undefined,
    userAgent: userAgent ?? undefined,
    endedBy: (endedBy ?? undefined) as SessionEnd | undefined,
    proof: proof ?? undefined,
    successorId: successorId ?? undefined,
    spared: typeof spared === 'string' ? sparedOf(spared) : undefined,
  };
  return isSession(session) ? session : 'invalid';
}

/** One field with id, time and reason, separated by spaces, because every look-up reads it. */
function sparedOf(text: string): SparedSession {
  const [id = '', endedAt, endedBy] = text.split(' ');
  return { id, endedAt: Number(endedAt ?? NaN), endedBy: endedBy ? (endedBy as SessionEnd) : undefined };
}

function isSession({
  id,
  userId,
  createdAt,
  lastSeenAt,
  expiresAt,
  endedBy,
  spared,
}: StoredSession): boolean {
  return (
    id !== '' &&
    (isStringId(userId) ? userId !== '' : Number.isSafeInteger(userId)) &&
    Number.isSafeInteger(createdAt) &&
    Number.isSafeInteger(lastSeenAt) &&
    Number.isSafeInteger(expiresAt) &&
    isEnd(endedBy) &&
    (spared === undefined || Number.isSafeInteger(spared.endedAt)) &&
    isEnd(spared?.endedBy)
  );
}

function isEnd(reason: SessionEnd | undefined): boolean {
  return reason === undefined || /^[a-z-]{1,32}$/.test(reason);
}
