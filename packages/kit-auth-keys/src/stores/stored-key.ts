import type { LoginUser, SessionEndReason, UserId } from 'kit-auth';
import type { KeyInfo } from '../keys.api.js';
import type { AuthApiKey } from './auth-api-key.entity.js';

/** A key with its owner, as a request needs it. */
export interface FoundKey {
  readonly hash: string;
  readonly abilities: readonly string[];
  readonly secondFactor: boolean;
  /** Milliseconds since 1970; null for a key that never ends. */
  readonly expiresAt: number | null;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number | null;
  readonly endedBy: SessionEndReason | null;
  /** Undefined when the owner is unknown or not enabled. */
  owner(): Promise<LoginUser | undefined>;
}

/** A key to store. */
export interface NewKey extends Pick<KeyInfo, 'id' | 'name' | 'abilities' | 'createdAt' | 'expiresAt'> {
  readonly userId: UserId;
  readonly hash: string;
  readonly secondFactor: boolean;
}

export function rowOf({ userId, abilities, createdAt, expiresAt, ...columns }: NewKey): AuthApiKey {
  return {
    ...columns,
    userId: String(userId),
    abilities: JSON.stringify(abilities),
    createdAt: createdAt.getTime(),
    expiresAt: expiresAt?.getTime() ?? null,
    lastUsedAt: null,
    lastAddress: null,
    endedBy: null,
  };
}

export function infoOf(row: AuthApiKey): KeyInfo {
  return {
    id: row.id,
    name: row.name,
    abilities: abilitiesOf(row),
    createdAt: new Date(row.createdAt),
    expiresAt: timeOf(row.expiresAt),
    lastUsedAt: timeOf(row.lastUsedAt),
    lastAddress: row.lastAddress,
  };
}

/** The abilities of a key. A value that is not a list of strings grants nothing. */
export function abilitiesOf({ abilities }: Pick<AuthApiKey, 'abilities'>): string[] {
  try {
    const list: unknown = JSON.parse(abilities);
    return Array.isArray(list) ? list.filter((ability) => typeof ability === 'string') : [];
  } catch {
    return [];
  }
}

function timeOf(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
