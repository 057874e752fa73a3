import { jest } from '@jest/globals';
import type { AuthEvent } from 'kit-auth';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { AuthUserEmail } from 'kit-auth-email/typeorm';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { freePorts, freezeDate, PASSWORD, totpCode } from 'test-support';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { give } from './belongings.js';
import { AGENTS, EVENTS, NAMES, ODD_NAMES, ROLES } from './people.names.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A user who has something in every tab. */
export const BUSY = 'm.hoffmann@example.com';
/** A user who has nothing. */
export const IDLE = 'paul.weber@example.com';

export interface ConsoleOfCompany {
  readonly app: ConsoleApp;
  /** Of the users, by their names. */
  readonly ids: ReadonlyMap<string, number>;
}

/**
 * Starts an application with all extras and with the people of a company: users, roles, sessions, keys, factors,
 * passkeys, identities, invitations and events of the last weeks.
 */
export async function consoleOfCompany(): Promise<ConsoleOfCompany> {
  const [ownPort] = await freePorts(1);
  const app = await new ConsoleApp({ extras: ALL_EXTRAS, trustProxy: true, ownPort: ownPort! }).start();
  return { app, ids: await movePeopleIn(app) };
}

async function movePeopleIn(app: ConsoleApp): Promise<ReadonlyMap<string, number>> {
  const now = Date.now();
  const roles = new Map<string, Awaited<ReturnType<ConsoleApp['role']>>>();
  for (const { includes, ...role } of ROLES) {
    roles.set(role.code, await app.role({ ...role, includes: includes.map((code) => roles.get(code)!) }));
  }
  const users: AuthUser[] = [];
  for (const [i, { username, nickname, codes = [] }] of [...NAMES, ...ODD_NAMES].entries()) {
    users.push(
      await app.user({
        username,
        nickname,
        roles: codes.map((code) => roles.get(code)!),
        status: i % 17 === 11 ? AuthUserStatus.DISABLED : AuthUserStatus.ENABLED,
        mustChangePassword: i % 13 === 7,
        lastLoginAt: i % 9 === 5 ? null : new Date(now - i * 7 * HOUR - 13 * MINUTE),
      }),
    );
  }
  const busy = users.find(({ username }) => username === BUSY)!;
  await belongings(app, busy, now);
  await events(app, users, now);
  await lockOut(app, 'lena.brandt@example.com', now);
  const admin = await app.adminToken();
  for (const [email, nickname, codes] of [
    ['jonas.frei@example.com', 'Jonas Frei', ['support']],
    ['sophie.martin@example.org', '', ['editor', 'reader']],
  ] as const) {
    await app.call(admin, 'POST', 'invitations', { email, ...(nickname && { nickname }), roles: codes });
  }
  return new Map(users.map(({ username, id }) => [username, id]));
}

async function belongings(app: ConsoleApp, { id, username }: AuthUser, now: number): Promise<void> {
  const userId = String(id);
  await app.rowsOf(AuthUserEmail).save({ userId, address: username, addressKey: username, verifiedAt: now });
  const tokens: string[] = [];
  for (const [userAgent, address] of AGENTS) {
    const headers = [`User-Agent: ${userAgent}`, `X-Forwarded-For: ${address}`];
    tokens.push((await app.login(username, PASSWORD, ...headers)).json.token);
  }
  const logins = await app.rowsOf(AuthLogin).findBy({ userId });
  await app.rowsOf(AuthLogin).save(
    logins.map((login, i) => ({
      ...login,
      createdAt: now - (i + 1) * 30 * HOUR,
      lastSeenAt: now - i * i * 5 * HOUR - 3 * MINUTE,
    })),
  );
  const device = (await app.call(tokens[0], 'POST', 'factors/totp', { name: 'Phone' })).json;
  await app.call(tokens[0], 'POST', `factors/totp/${device.id}/confirm`, { code: totpCode(device.secret) });
  for (const name of ['MacBook', 'YubiKey 5 (blue)']) {
    await give(app, { id }, name);
  }
}

async function events(app: ConsoleApp, users: AuthUser[], now: number): Promise<void> {
  const rows = Array.from({ length: 300 }, (_, i) => {
    const [type, success, isByAdmin, detail] = EVENTS[(i * 7) % EVENTS.length]!;
    const user = users[(i * 5) % users.length]!;
    const one = { id: String(user.id), name: user.username };
    const actor = isByAdmin ? { id: '1', name: 'admin' } : one;
    return {
      type: type as AuthEvent['type'],
      success,
      at: new Date(now - (300 - i) * 97 * MINUTE),
      actorId: actor.id,
      actor: actor.name,
      subjectId: one.id,
      subject: one.name,
      detail,
      address: i % 3 === 0 ? '2001:db8:4a:1f::2c' : `198.51.100.${(i * 31) % 250}`,
    };
  });
  await app.rowsOf(AuthAudit).save(rows);
}

/** As many wrong passwords do: for a quarter of an hour, from now on. They come from elsewhere. */
async function lockOut(app: ConsoleApp, username: string, now: number): Promise<void> {
  const pass = freezeDate(now - 1_024_000);
  for (let failures = 0, seconds = 0; seconds < 900; failures++) {
    await app.login(username, 'wrong', 'X-Forwarded-For: 203.0.113.99');
    seconds = failures < 5 ? 0 : 2 ** (failures - 5);
    pass(Math.min(seconds, 900) * 1000 * (seconds < 900 ? 1 : 0));
  }
  jest.useRealTimers();
}
