import { createHash } from 'node:crypto';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import type { ConsoleApp } from './app.js';

const DAY_MS = 24 * 60 * 60_000;

/** Writes a passkey, an API key and a linked identity with this name, past all checks. */
export async function give(app: ConsoleApp, user: { id: number }, name: string): Promise<void> {
  const userId = String(user.id);
  const id = createHash('sha256').update(`${userId} ${name}`).digest('hex');
  const now = Date.now();
  const times = { createdAt: now - 40 * DAY_MS, lastUsedAt: now };
  await app.rowsOf(AuthPasskey).save({
    ...{ id, userId, name, credentialId: id, publicKey: 'AA', algorithm: -7, counter: 0, ...times },
    ...{ deviceType: 'multi', backedUp: true, transports: 'internal', aaguid: '' },
  });
  await app.rowsOf(AuthApiKey).save({
    ...{ id: id.slice(0, 13), userId, name, hash: id, abilities: JSON.stringify([name]), ...times },
    ...{ expiresAt: now + 30 * DAY_MS, lastAddress: name, endedBy: null },
  });
  await app.rowsOf(AuthIdentity).save({
    ...{ id, userId, provider: 'test', issuer: 'https://login.example.com', subject: id, address: name },
    ...times,
  });
}
