import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AUTH_PROVIDER, AuthManager, type AuthProvider, KitAuthContext, type Principal } from 'kit-auth';
import { ActiveUserStore, MessageContexts, TokenResolver } from 'kit-auth/extend';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { actingWithKey } from 'kit-auth-keys/testing';
import { headers } from '@nats-io/transport-node';
import { BOTH, freezeDate, optionsFor, pairsOf, sharedTestApp, TOKENS } from 'test-support';
import { JobsApp, type Sent } from './app.js';

const HOUR_MS = 3_600_000;

describe.each(pairsOf(BOTH, TOKENS))('jobs on %s with %s', (platform, tokens) => {
  const app = sharedTestApp(new JobsApp({ ...optionsFor(tokens), platform }));
  let ada: { id: number; username: string };
  let token: string;
  beforeAll(async () => {
    await app.role({ code: 'reader', permissions: ['note:read'] });
    await app.role({ code: 'writer', permissions: ['note:write'] });
  });
  beforeEach(async () => {
    ada = await app.user({ roles: ['reader'] });
    token = await app.tokenOf(ada);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const principalOf = async (of = token): Promise<Principal> => app.get(TokenResolver).resolve(of);
  const as = <T>(principal: Principal, fn: () => T): T =>
    app.get(MessageContexts).run(principal, undefined, fn);

  it('run as the user of the request that has created them', async () => {
    const sent = await app.carry(token);
    expect(sent).toEqual({ month: 'May', kitAuth: expect.stringMatching(/^kapj_[\w-]+$/) });
    const { loginId } = (await principalOf()).proof;
    expect(await app.resume(sent)).toEqual({
      username: ada.username,
      roles: ['reader'],
      permissions: ['note:read'],
      scheme: 'carried',
      proof: { factors: {}, expiresAt: expect.any(Number), ...(loginId !== undefined && { loginId }) },
      isSame: true,
    });
    expect(app.heard('user-changed').at(-1)).toMatchObject({ actorId: ada.id, actor: ada.username });
    expect(app.get(KitAuthContext).get()).toBeUndefined();
  });

  it('run with the roles of today', async () => {
    const admin = await app.adminToken();
    const sent = await app.carry(token);
    await app.call(admin, 'PUT', `users/${ada.id}/roles`, { roles: ['writer'] });
    expect(await app.resume(sent)).toMatchObject({ roles: ['writer'], permissions: ['note:write'] });
  });

  it('do not run for users who were disabled or deleted meanwhile', async () => {
    const sent = await app.carry(token);
    await app.users.update(ada.id, { status: AuthUserStatus.DISABLED });
    expect(await app.resume(sent)).toBe('40101 disabled');
    await app.users.delete(ada.id);
    expect(await app.resume(sent)).toBe('40101 disabled');
    expect(app.heard('carried-refused').filter(({ subjectId }) => subjectId === ada.id)).toMatchObject([
      { success: false, detail: 'reports: disabled', actorId: null },
    ]);
  });

  it('run after a logout, because a job is not interactive', async () => {
    const sent = await app.carry(token);
    await app.call(token, 'POST', 'logout');
    expect(await app.resume(sent)).toMatchObject({ username: ada.username });
  });

  it('run again and again with the same data, because queues repeat them', async () => {
    const sent = await app.carry(token);
    const copies = await Promise.all(Array.from({ length: 1000 }, () => app.resume({ ...sent })));
    expect(new Set(copies.map((copy) => JSON.stringify(copy))).size).toBe(1);
    expect(copies[0]).toMatchObject({ username: ada.username });
  });

  it('run until the audience ends', async () => {
    const pass = freezeDate();
    const sent = await app.carry(token);
    pass(24 * HOUR_MS);
    expect(await app.resume(sent)).toMatchObject({ username: ada.username });
    pass(6000);
    expect(await app.resume(sent)).toBe('40101 expired');
  });

  it('do not run with other data, for another audience, or without a user', async () => {
    const sent = await app.carry(token);
    const { kitAuth, ...data } = sent;
    expect([
      await app.resume({ ...sent, month: 'June' }),
      await app.resume({ ...sent, more: 1 }),
      await app.resume(sent, 'billing'),
      await app.resume(data),
      await app.resume(null),
      await app.resume('text'),
      await app.resume({ ...data, kitAuth: 1 }),
      await app.resume({ ...data, kitAuth: null }),
      await app.resume({ ...data, kitAuth: [kitAuth] }),
      await app.resume({ ...data, kitAuth: token }),
      await app.resume(sent, 'reports', { 'kit-auth': String(kitAuth) }),
    ]).toEqual([
      '40101 data',
      '40101 data',
      '40101 audience',
      '40100 undefined',
      '40100 undefined',
      '40100 undefined',
      '40101 malformed',
      '40101 malformed',
      '40101 malformed',
      '40101 malformed',
      '40101 malformed',
    ]);
  });

  it('can have data of any kind, with the user in headers', async () => {
    const principal = await principalOf();
    for (const data of [Buffer.from('bytes'), 'text', 4711, null, undefined, [1], new Date(0), { a: 1 }]) {
      const headers = as(principal, () => app.carrier.headers('reports', data));
      expect(await app.resume(data, 'reports', headers)).toMatchObject({ username: ada.username });
      expect(await app.resume('other', 'reports', headers)).toBe('40101 data');
    }
    for (const data of [Buffer.from('bytes'), [1], new Date(0)]) {
      expect(() => as(principal, () => app.carrier.data('reports', data))).toThrow(
        'data() takes a plain object. Send anything else with headers().',
      );
    }
    const carrying = as(principal, () => app.carrier.data('reports', { a: 1 }));
    for (const method of ['data', 'headers'] as const) {
      expect(() => as(principal, () => app.carrier[method]('billing', carrying))).toThrow(
        'The data has the member kitAuth already. Carry it on without.',
      );
    }
  });

  it('can have the user in headers as transports deliver them', async () => {
    const sent = as(await principalOf(), () => app.carrier.headers('reports', [1]));
    const ofNats = headers();
    ofNats.set('kit-auth', sent['kit-auth']!);
    const bytes = Buffer.from(sent['kit-auth']!);
    for (const arrived of [sent, { 'kit-auth': bytes }, ofNats]) {
      expect(await app.resume([1], 'reports', arrived)).toMatchObject({ username: ada.username });
    }
    expect(await app.resume([1], 'reports', headers())).toBe('40100 undefined');
    expect(await app.resume([1], 'reports', { 'kit-auth': [bytes] })).toBe('40101 malformed');
  });

  it('are not tokens of requests', async () => {
    const { kitAuth } = await app.carry(token);
    expect(await app.stateOf(String(kitAuth))).toBe('40101 audience');
    const manager = app.get(AuthManager);
    await expect(manager.getLoginUser(String(kitAuth))).rejects.toMatchObject({ code: 40304 });
    await expect(manager.getLoginUser(String(kitAuth), { credentials: true })).rejects.toMatchObject({
      code: 40101,
    });
  });

  it('cannot be created by API keys, without a user, or for an unknown audience', async () => {
    const key = await actingWithKey(app.nest, ada.username, ['note:read']);
    expect(await app.carry(key.key)).toMatchObject({
      code: 40304,
      message: 'Only the user of a login can be carried to jobs and messages',
    });
    expect(await app.carry(undefined)).toMatchObject({ code: 40100 });
    expect(() => app.carrier.data('reports', {})).toThrow(expect.objectContaining({ code: 40100 }));
    const principal = await principalOf();
    expect(() => as(principal, () => app.carrier.data('report', {}))).toThrow(
      "kit.auth.jobs.audiences has no audience 'report', only reports, billing. Add it.",
    );
    await expect(app.resume({}, 'report')).rejects.toThrow(
      "kit.auth.jobs.audiences has no audience 'report'",
    );
  });

  it('can be created for any user with KitAuthContext.run()', async () => {
    const user = (await app.get(ActiveUserStore).loadLoginUser(ada.id))!;
    const sent = app.get(KitAuthContext).run(user, () => app.carrier.data('reports', {}));
    expect(await app.resume(sent)).toMatchObject({ username: ada.username });
  });

  it('carry on, but never for longer', async () => {
    const pass = freezeDate();
    const now = Math.floor(Date.now() / 1000);
    const endOf = async (sent: Sent | object, audience: string) =>
      ((await app.resume(sent, audience)) as Principal).proof.expiresAt! - now;
    const first = await app.carry(token, {}, 'billing');
    const on = async (sent: Sent, audience: string) =>
      app.carrier.resume('billing', sent, () => app.carrier.data(audience, { step: 2 }));
    expect(await endOf(first, 'billing')).toBe(60);
    pass(30_000);
    const longer = await on(first, 'reports');
    expect(await endOf(longer, 'reports')).toBe(60);
    const again = await app.carrier.resume('reports', longer, () => app.carrier.data('billing', {}));
    expect(await endOf(again, 'billing')).toBe(60);
    pass(36_000);
    expect(await app.resume(longer)).toBe('40101 expired');
    expect(await app.resume(again, 'billing')).toBe('40101 expired');
  });

  it('cannot carry on once their time is over', async () => {
    const pass = freezeDate();
    const sent = await app.carry(token, {}, 'billing');
    await app.carrier.resume('billing', sent, () => {
      pass(64_000);
      expect(() => app.carrier.data('reports', {})).not.toThrow();
      pass(2000);
      expect(() => app.carrier.data('reports', {})).toThrow(
        expect.objectContaining({ code: 40101, reason: 'expired' }),
      );
    });
  });

  it('keep the user who really acts, if that account is enabled', async () => {
    const boss = await app.user();
    const principal = await principalOf();
    const actor = { userId: boss.id, username: boss.username };
    const acting: Principal = { ...principal, proof: { ...principal.proof, actor } };
    const sent = as(acting, () => app.carrier.data('reports', {}));
    expect(await app.resume(sent)).toMatchObject({ username: ada.username, proof: { actor } });
    expect(app.heard('user-changed').at(-1)).toMatchObject({
      actor: boss.username,
      onBehalfOf: ada.username,
    });
    const on = await app.carrier.resume('reports', sent, () => app.carrier.data('billing', {}));
    expect(await app.resume(on, 'billing')).toMatchObject({ proof: { actor } });
    await app.users.update(boss.id, { status: AuthUserStatus.DISABLED });
    expect(await app.resume(sent)).toBe('40101 disabled');
  });

  it('leave no user behind: timers that a job has started have none once it has ended', async () => {
    const context = app.get(KitAuthContext);
    const sent = await app.carry(token);
    let later: (() => void) | undefined;
    const seen: unknown[] = [];
    const waited = new Promise<void>((resolve) => (later = resolve));
    let after: Promise<unknown> | undefined;
    await app.carrier.resume('reports', sent, async () => {
      after = waited.then(() => seen.push(context.get()));
      await Promise.resolve();
      seen.push(context.get()?.username);
    });
    later!();
    await after;
    expect(seen).toEqual([ada.username, undefined]);
    await expect(
      app.carrier.resume('reports', sent, () => {
        throw new Error('mine');
      }),
    ).rejects.toThrow('mine');
  });

  it('have a frozen user of their own', async () => {
    const sent = await app.carry(token);
    await app.carrier.resume('reports', sent, (user) => {
      expect([user, user.roles, user.permissions].every(Object.isFrozen)).toBe(true);
    });
  });
});

describe('jobs of the provider with actors', () => {
  const app = sharedTestApp(new JobsApp());

  it('are carried from tokens that say who acts', async () => {
    const [ada, boss] = [await app.user(), await app.user()];
    const actor = { userId: boss.id, username: boss.username };
    const user = (await app.get(ActiveUserStore).loadLoginUser(ada.id))!;
    const token = await app.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, { factors: {}, actor });
    expect(await app.resume(await app.carry(token))).toMatchObject({ proof: { actor } });
  });
});
