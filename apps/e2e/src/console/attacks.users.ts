import { createHash } from 'node:crypto';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { AuthTotp } from 'kit-auth-factors/typeorm';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import { totpCode } from 'test-support';
import { PAYLOADS } from './attacks.payloads.js';
import type { ConsoleApp } from './app.js';

const idOf = (text: string, i: number) => createHash('sha256').update(`${text} ${i}`).digest('hex');

/** Writes each payload into each text that the page shows, past all checks. @returns the user who has most of them */
export async function infest(app: ConsoleApp): Promise<AuthUser> {
  const victim = await app.user({ username: 'victim', nickname: PAYLOADS[0]! });
  const other = (i: number) => PAYLOADS[(i + 1) % PAYLOADS.length]!;
  for (const [i, payload] of PAYLOADS.entries()) {
    await app.user({ username: payload, nickname: other(i) });
    await app.role({ code: payload.slice(0, 64), name: other(i), permissions: [payload] });
  }
  await belongings(app, victim);
  const at = new Date();
  await app.rowsOf(AuthAudit).save(
    PAYLOADS.map((payload, i) => ({
      type: payload.slice(0, 32) as AuthAudit['type'],
      success: false,
      at,
      actorId: payload,
      actor: payload,
      subjectId: String(victim.id),
      subject: other(i),
      detail: payload,
      address: payload,
    })),
  );
  const admin = await app.adminToken();
  for (const [i, payload] of PAYLOADS.slice(0, 20).entries()) {
    await app.call(admin, 'POST', 'invitations', { email: `guest-${i}@example.com`, nickname: payload });
  }
  return victim;
}

async function belongings(app: ConsoleApp, victim: AuthUser): Promise<void> {
  const userId = String(victim.id);
  const now = Date.now();
  const token = await app.tokenOf(victim);
  const { id, secret } = (await app.call(token, 'POST', 'factors/totp', { name: 'Phone' })).json;
  await app.call(token, 'POST', `factors/totp/${id}/confirm`, { code: totpCode(secret) });
  const [factor] = await app.rowsOf(AuthTotp).findBy({ userId });
  await app.rowsOf(AuthTotp).save({ ...factor!, name: PAYLOADS[1]! });
  const [login] = await app.rowsOf(AuthLogin).findBy({ userId });
  for (const [i, payload] of PAYLOADS.entries()) {
    await app.rowsOf(AuthLogin).save({
      ...login!,
      id: login!.id.slice(0, -3) + String(100 + i),
      userAgent: payload,
      address: payload,
    });
    await app.rowsOf(AuthApiKey).save({
      id: idOf('key', i).slice(0, 32),
      userId,
      name: payload,
      hash: idOf('hash', i),
      abilities: JSON.stringify([payload]),
      createdAt: now,
      lastUsedAt: now,
      lastAddress: payload,
    });
    await app.rowsOf(AuthPasskey).save({
      id: idOf('passkey', i),
      credentialId: idOf('credential', i),
      userId,
      name: payload,
      publicKey: '',
      algorithm: -7,
      counter: 0,
      deviceType: 'multi',
      backedUp: true,
      transports: 'internal',
      aaguid: '00000000-0000-0000-0000-000000000000',
      createdAt: now,
    });
    await app.rowsOf(AuthIdentity).save({
      id: idOf('identity', i),
      provider: 'test',
      issuer: 'https://login.example.com',
      subject: String(i),
      userId,
      address: payload,
      createdAt: now,
    });
  }
}
