import type { LoginProof } from 'kit-auth';
import { asciiJson, isOwnedBy, isUserId, ProofReader, userIdFrom, writeProof } from 'kit-auth/extend';
import type { AuthLogin } from './auth-login.entity.js';
import type { StoredLogin } from './login-store.js';

const MAX_ROTATIONS = 2 ** 31 - 1;
const REASON = /^[\w-]{1,32}$/;
const proofs = new ProofReader();

/** @returns undefined for a row that this package has not written */
export function storedLogin({ factors, ...row }: AuthLogin): StoredLogin | undefined {
  const userId = userIdFrom(row.id, row.userId);
  const proof = proofs.read(row.id, factors ?? undefined);
  const { createdAt, lastSeenAt, expiresAt, rotatedAt, rotations, replayedIn, replays } = row;
  const numbers = [
    createdAt,
    lastSeenAt,
    expiresAt,
    rotatedAt ?? 0,
    rotations,
    replayedIn ?? 0,
    replays ?? 0,
  ];
  const isValid =
    isUserId(userId) &&
    isOwnedBy(row.id, userId) &&
    numbers.every((it) => Number.isSafeInteger(it) && it >= 0) &&
    (factors === null || Object.keys(proof.factors).length > 0 || proof.actor !== undefined) &&
    (row.endedBy === null || REASON.test(row.endedBy));
  return isValid ? { ...row, userId, proof } : undefined;
}

/** The generation after `rotations`. */
export function nextRotation(rotations: number): number {
  return rotations < MAX_ROTATIONS ? rotations + 1 : 0;
}

/** What the row has of a proof. The end of the proof is that of the row. */
export function factorsOf({ factors, actor }: LoginProof): string | null {
  const text = writeProof(actor === undefined ? { factors } : { factors, actor });
  return text === undefined ? null : asciiJson(text);
}
