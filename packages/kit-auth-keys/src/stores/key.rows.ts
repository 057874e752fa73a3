import type { SessionEndReason, UserId } from 'kit-auth';
import { ownerOf } from 'kit-auth/login';
import { lockRow } from 'kit-auth/typeorm';
import { type EntityManager, type FindOneOptions, In, IsNull, MoreThan } from 'typeorm';
import { AuthApiKey } from './auth-api-key.entity.js';

/** Serializes changes of a user's keys. The locked row is not a key, and has no owner. */
export function lockOwner(manager: EntityManager, userId: UserId, now: number): Promise<void> {
  return lockRow(manager, AuthApiKey, {
    id: `lock.${ownerOf(userId)}`,
    userId: '',
    name: '',
    hash: '',
    abilities: '[]',
    secondFactor: false,
    createdAt: now,
    expiresAt: now,
    lastUsedAt: null,
    lastAddress: null,
    endedBy: 'disabled',
  });
}

/** The live keys of a user, oldest first. */
export async function liveOf(
  manager: EntityManager,
  userId: UserId,
  now: number,
  lock?: FindOneOptions['lock'],
): Promise<AuthApiKey[]> {
  const owned = { userId: String(userId), endedBy: IsNull() };
  const rows = await manager.find(AuthApiKey, {
    where: [
      { ...owned, expiresAt: IsNull() },
      { ...owned, expiresAt: MoreThan(now) },
    ],
    order: { createdAt: 'ASC', id: 'ASC' },
    ...(lock && { lock }),
  });
  // Some databases ignore case in comparisons.
  return rows.filter((row) => row.userId === owned.userId);
}

/** Ends keys that have not been ended yet. @returns how many */
export async function endRows(
  manager: EntityManager,
  ids: readonly string[],
  by: SessionEndReason,
  now: number,
): Promise<number> {
  const live = { id: In(ids), endedBy: IsNull() };
  return (await manager.update(AuthApiKey, live, { endedBy: by, expiresAt: now })).affected ?? 0;
}
