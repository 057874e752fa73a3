import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitterModule } from '@nestjs/event-emitter';
import {
  AuthEvents,
  AuthException,
  AuthManager,
  KitAuthContext,
  type LoginUser,
  type Principal,
} from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { MessageContexts, TokenResolver } from 'kit-auth/login';
import { AuthUserStatus } from 'kit-auth/typeorm';
import {
  EventListener,
  freezeDate,
  loginUser,
  sharedTestApp,
  TestApp,
  type TestAppOptions,
} from 'test-support';
import type { KitAuthJobsOptions } from '../jobs.options.js';
import { KitAuthJobsModule } from '../kit-auth-jobs.module.js';
import { UserCarrier } from './user.carrier.js';

const JOBS: KitAuthJobsOptions = {
  keys: ['j'.repeat(32)],
  audiences: { reports: { hours: 24 }, billing: { seconds: 60 }, needy: { hours: 1, needsLogin: true } },
};
const MAY = { month: 'May' };
const REPORT = { for: 'report' };

type Sent = Readonly<Record<string, unknown>>;

/** An application without HTTP. */
class JobsApp extends TestApp {
  constructor(options: TestAppOptions = {}, jobs = JOBS) {
    super({
      provider: 'session',
      ...options,
      imports: [KitAuthJobsModule.forRoot(jobs), EventEmitterModule.forRoot({ wildcard: true })],
      providers: [EventListener],
    });
  }

  override async start(): Promise<this> {
    await this.create();
    await this.nest.init();
    return this;
  }

  get carrier(): UserCarrier {
    return this.get(UserCarrier);
  }

  as<T>(principal: Principal, fn: () => T): T {
    return this.get(MessageContexts).run(principal, undefined, fn);
  }

  carry(principal: Principal, data: object = MAY, audience = 'reports'): Sent {
    return this.as(principal, () => this.carrier.data(audience, data, REPORT));
  }

  /** What a function of the user sees, or the code and the reason of the refusal. */
  async resume(data: unknown, audience = 'reports', headers?: object): Promise<unknown> {
    try {
      return await this.carrier.resume(audience, data, (user) => this.seen(user), headers, REPORT);
    } catch (error) {
      if (error instanceof AuthException) {
        return `${error.code} ${error.reason}`;
      }
      throw error;
    }
  }

  refusals() {
    return this.get(EventListener).heard.filter(({ type }) => type === 'carried-refused');
  }

  private seen({ username }: LoginUser) {
    this.get(AuthEvents).begin().note({ type: 'user-changed', detail: 'a job' });
    const { scheme, proof } = this.get(KitAuthContext).principal()!;
    return { username, scheme, proof };
  }
}

afterEach(() => {
  jest.useRealTimers();
});

describe('a user who is carried', () => {
  const app = sharedTestApp(new JobsApp());
  let ada: { id: number; username: string };
  let principal: Principal;
  beforeEach(async () => {
    ada = await app.user();
    const token = await app.issueToken({ userId: ada.id, username: ada.username });
    principal = await app.get(TokenResolver).resolve(token);
    app.get(EventListener).heard.length = 0;
  });
  const context = () => app.get(KitAuthContext);

  it('has shown a second factor if the login had, though never a short time ago', async () => {
    const now = Math.floor(Date.now() / 1000);
    const withFactor: Principal = { ...principal, proof: { factors: { password: now, totp: now } } };
    expect(await app.resume(app.carry(withFactor))).toMatchObject({ proof: { factors: { mfa: 0 } } });
    const again = () => app.carrier.data('reports', MAY, REPORT);
    const twice = await app.carrier.resume('reports', app.carry(withFactor), again, undefined, REPORT);
    expect(await app.resume(twice)).toMatchObject({ proof: { factors: { mfa: 0 } } });
    const once = await app.carrier.resume('reports', app.carry(principal), again, undefined, REPORT);
    expect(await app.resume(once)).toMatchObject({ proof: { factors: {} } });
  });

  it('may not do what the user has to choose a new password for first', async () => {
    const sent = app.carry(principal);
    await app.users.update(ada.id, { mustChangePassword: true });
    expect(await app.resume(sent)).toBe('40301 undefined');
  });

  it('is the user of the context while the function runs, without the factors of the login', async () => {
    expect(await app.resume(app.carry(principal))).toEqual({
      username: ada.username,
      scheme: 'carried',
      proof: { factors: {}, expiresAt: expect.any(Number), loginId: principal.proof.loginId },
    });
    expect(app.get(EventListener).heard.at(-1)).toMatchObject({ actorId: ada.id, actor: ada.username });
    expect(context().get()).toBeUndefined();
  });

  it('has the roles of today, and is refused once disabled or deleted', async () => {
    const sent = app.carry(principal);
    const role = await app.role({ permissions: ['note:write'] });
    await app.users.save({ ...(await app.users.findOneByOrFail({ id: ada.id })), roles: [role] });
    const see = ({ roles, permissions }: LoginUser) => ({ roles, permissions });
    const granted = { roles: [role.code], permissions: ['note:write'] };
    expect(await app.carrier.resume('reports', sent, see, undefined, REPORT)).toEqual(granted);
    await app.users.update(ada.id, { status: AuthUserStatus.DISABLED });
    expect(await app.resume(sent)).toBe('40101 disabled');
    await app.users.delete(ada.id);
    expect(await app.resume(sent)).toBe('40101 disabled');
    expect(app.refusals()).toMatchObject([
      { success: false, detail: 'reports: disabled', actorId: null, subjectId: ada.id },
    ]);
  });

  it('can be resumed again and again with the same data, because queues repeat jobs', async () => {
    const sent = app.carry(principal);
    const copies = await Promise.all([1, 2, 3].map(() => app.resume({ ...sent })));
    expect(copies).toEqual(copies.map(() => expect.objectContaining({ username: ada.username })));
  });

  it('is refused with other data, for another audience, and in another form', async () => {
    const sent = app.carry(principal);
    const { kitAuth, ...data } = sent;
    const header = { 'kit-auth': String(kitAuth) };
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
      await app.resume({ ...data, kitAuth: principal.token }),
      await app.resume(sent, 'reports', header),
      await app.resume(data, 'reports', { 'kit-auth': [Buffer.from(String(kitAuth))] }),
    ]).toEqual([
      ...['40101 data', '40101 data', '40101 audience'],
      ...['40100 undefined', '40100 undefined', '40100 undefined'],
      ...Array.from({ length: 6 }, () => '40101 malformed'),
    ]);
    expect(await app.resume(data, 'reports', header)).toMatchObject({ username: ada.username });
  });

  it('is refused for another job or message', async () => {
    const sent = app.carry(principal);
    const resumed = app.carrier.resume('reports', sent, () => 'ran', undefined, { for: 'cancel' });
    await expect(resumed).rejects.toMatchObject({ code: 40101, reason: 'name' });
    await expect(app.carrier.resume('reports', sent, () => 'ran')).rejects.toMatchObject({ reason: 'name' });
  });

  it('is for any job or message with the data where no name was given, and the log warns once', async () => {
    app.logs.lines.length = 0;
    const carry = () => app.as(principal, () => app.carrier.data('reports', MAY));
    const [sent] = [carry(), carry()];
    expect(await app.resume(sent)).toMatchObject({ username: ada.username });
    expect(await app.carrier.resume('reports', sent, () => 'ran')).toBe('ran');
    const warnings = app.logs.all().split('without the name of the job or message').length - 1;
    expect(warnings).toBe(1);
  });

  it('can go with data of any kind, in headers', async () => {
    for (const data of [Buffer.from('bytes'), 'text', 4711, null, undefined, [1], new Date(0), { a: 1 }]) {
      const headers = app.as(principal, () => app.carrier.headers('reports', data, REPORT));
      expect(await app.resume(data, 'reports', headers)).toMatchObject({ username: ada.username });
      expect(await app.resume('other', 'reports', headers)).toBe('40101 data');
    }
    for (const data of [Buffer.from('bytes'), [1], new Date(0)]) {
      expect(() => app.carry(principal, data)).toThrow(
        'data() takes a plain object. Send anything else with headers().',
      );
    }
    const carrying = app.carry(principal, { a: 1 });
    for (const method of ['data', 'headers'] as const) {
      expect(() => app.as(principal, () => app.carrier[method]('billing', carrying, REPORT))).toThrow(
        'The data has the member kitAuth already. Carry it on without.',
      );
    }
  });

  it('is no token of requests', async () => {
    const kitAuth = String(app.carry(principal)['kitAuth']);
    const refused = { code: 40101, reason: 'audience' };
    await expect((async () => app.get(TokenResolver).resolve(kitAuth))()).rejects.toMatchObject(refused);
    const manager = app.get(AuthManager);
    await expect(manager.getLoginUser(kitAuth)).rejects.toMatchObject({ code: 40304 });
    await expect(manager.getLoginUser(kitAuth, { credentials: true })).rejects.toMatchObject(refused);
  });

  it('must be there, and the audience known', async () => {
    expect(() => app.carrier.data('reports', {}, REPORT)).toThrow(expect.objectContaining({ code: 40100 }));
    const problem = "kit.auth.jobs.audiences has no audience 'report', only reports, billing, needy. Add it.";
    expect(() => app.carry(principal, {}, 'report')).toThrow(problem);
    await expect(app.resume({}, 'report')).rejects.toThrow(problem);
  });

  it('can be any user, with KitAuthContext.run(), unless the audience needs a login', async () => {
    const user = (await app.get(ActiveUserStore).loadLoginUser(ada.id))!;
    const sent = context().run(user, () => app.carrier.data('reports', {}, REPORT));
    expect(await app.resume(sent)).toMatchObject({ username: ada.username });
    expect(() => context().run(user, () => app.carrier.data('needy', {}, REPORT))).toThrow(
      expect.objectContaining({ code: 40101, reason: 'logged-out' }),
    );
  });

  it('can be carried on, but never for longer', async () => {
    const pass = freezeDate();
    const now = Math.floor(Date.now() / 1000);
    const endOf = async (sent: object, audience: string) =>
      ((await app.resume(sent, audience)) as Principal).proof.expiresAt! - now;
    const first = app.carry(principal, {}, 'billing');
    expect(await endOf(first, 'billing')).toBe(60);
    pass(30_000);
    const longer = await app.carrier.resume(
      'billing',
      first,
      () => app.carrier.data('reports', { step: 2 }, REPORT),
      undefined,
      REPORT,
    );
    expect(await endOf(longer, 'reports')).toBe(60);
    const again = await app.carrier.resume(
      'reports',
      longer,
      () => app.carrier.data('billing', {}, REPORT),
      undefined,
      REPORT,
    );
    expect(await endOf(again, 'billing')).toBe(60);
    pass(36_000);
    expect(await app.resume(longer)).toBe('40101 expired');
    expect(await app.resume(again, 'billing')).toBe('40101 expired');
  });

  it('cannot be carried on once the time is over', async () => {
    const pass = freezeDate();
    const sent = app.carry(principal, {}, 'billing');
    await app.carrier.resume(
      'billing',
      sent,
      () => {
        pass(64_000);
        expect(() => app.carrier.data('reports', {}, REPORT)).not.toThrow();
        pass(2000);
        expect(() => app.carrier.data('reports', {}, REPORT)).toThrow(
          expect.objectContaining({ code: 40101, reason: 'expired' }),
        );
      },
      undefined,
      REPORT,
    );
  });

  it('comes with the user who really acts, if that account is enabled', async () => {
    const boss = await app.user();
    const actor = { userId: boss.id, username: boss.username };
    const sent = app.carry({ ...principal, proof: { ...principal.proof, actor } });
    expect(await app.resume(sent)).toMatchObject({ username: ada.username, proof: { actor } });
    expect(app.get(EventListener).heard.at(-1)).toMatchObject({
      actor: boss.username,
      onBehalfOf: ada.username,
    });
    const on = await app.carrier.resume(
      'reports',
      sent,
      () => app.carrier.data('billing', {}, REPORT),
      undefined,
      REPORT,
    );
    expect(await app.resume(on, 'billing')).toMatchObject({ proof: { actor } });
    await app.users.update(boss.id, { status: AuthUserStatus.DISABLED });
    expect(await app.resume(sent)).toBe('40101 disabled');
  });

  it('is not there any more for what the function has left running', async () => {
    const sent = app.carry(principal);
    let later: (() => void) | undefined;
    const seen: unknown[] = [];
    const waited = new Promise<void>((resolve) => (later = resolve));
    let after: Promise<unknown> | undefined;
    await app.carrier.resume(
      'reports',
      sent,
      async () => {
        after = waited.then(() => seen.push(context().get()));
        await Promise.resolve();
        seen.push(context().get()?.username);
      },
      undefined,
      REPORT,
    );
    later!();
    await after;
    expect(seen).toEqual([ada.username, undefined]);
    const failing = app.carrier.resume(
      'reports',
      sent,
      () => {
        throw new Error('mine');
      },
      undefined,
      REPORT,
    );
    await expect(failing).rejects.toThrow('mine');
  });

  it('is frozen', async () => {
    await app.carrier.resume(
      'reports',
      app.carry(principal),
      (user) => {
        expect([user, user.roles, user.permissions].every(Object.isFrozen)).toBe(true);
      },
      undefined,
      REPORT,
    );
  });
});

describe('refusals of a job', () => {
  let app: JobsApp;
  let sent: Sent;
  beforeEach(async () => {
    freezeDate();
    app = await new JobsApp().start();
    const { id } = await app.users.findOneByOrFail({ username: 'admin' });
    const user = loginUser({ userId: id, username: 'admin' });
    sent = app.get(KitAuthContext).run(user, () => app.carrier.data('reports', MAY, REPORT));
  });

  it('cause no look-up for forged ones, and one event in a minute, however many come', async () => {
    const kitAuth = String(sent['kitAuth']);
    const lookUps = jest.spyOn(app.get(ActiveUserStore), 'loadLoginUser');
    const outcomes = new Set<unknown>();
    for (let at = 5; at < kitAuth.length; at++) {
      const other = kitAuth[at] === 'A' ? 'B' : 'A';
      const forged = kitAuth.slice(0, at) + other + kitAuth.slice(at + 1);
      outcomes.add(await app.resume({ ...sent, kitAuth: forged }));
    }
    for (const forged of [1, null, {}]) {
      outcomes.add(await app.resume({ kitAuth: forged }));
    }
    expect([...outcomes].sort()).toEqual(['40101 audience', '40101 malformed', '40101 signature']);
    expect(await app.resume({})).toBe('40100 undefined');
    expect(lookUps).not.toHaveBeenCalled();
    const details = app.refusals().map(({ detail }) => detail);
    expect(details.sort()).toEqual(['reports: audience', 'reports: malformed', 'reports: signature']);
    await app.resume(sent);
    expect(lookUps).toHaveBeenCalledTimes(1);
    expect(app.logs.all()).not.toContain('kapj_');
  });

  it('are one event a minute, with their number', async () => {
    for (let i = 0; i < 3; i++) {
      await app.resume({ ...sent, month: 'June' });
    }
    const heard = () => app.refusals().map(({ detail, subjectId }) => [detail, subjectId]);
    expect(heard()).toEqual([['reports: data', null]]);
    await app.close();
    expect(heard()).toEqual([
      ['reports: data', null],
      ['2 more: reports: data', null],
    ]);
  });
});

describe('jobs of several users', () => {
  const app = sharedTestApp(new JobsApp());

  it('never see each other, also if one resumes another', async () => {
    const jobs: { username: string; sent: Sent }[] = [];
    for (let i = 0; i < 3; i++) {
      const { id, username } = await app.user();
      const user = loginUser({ userId: id, username });
      const sent = app.get(KitAuthContext).run(user, () => app.carrier.data('reports', { i }, REPORT));
      jobs.push({ username, sent });
    }
    const context = app.get(KitAuthContext);
    const seen = jobs.map(({ sent }, i) =>
      app.carrier.resume(
        'reports',
        sent,
        async () => {
          const names = [context.get()?.username];
          for (let step = 0; step < 3; step++) {
            await new Promise((resolve) => setImmediate(resolve));
            await app.carrier.resume(
              'reports',
              jobs[(i + step) % 3]!.sent,
              () => Promise.resolve(),
              undefined,
              REPORT,
            );
            names.push(context.get()?.username);
          }
          return names;
        },
        undefined,
        REPORT,
      ),
    );
    expect(await Promise.all(seen)).toEqual(jobs.map(({ username }) => Array(4).fill(username)));
    expect(context.get()).toBeUndefined();
  });
});

describe('a carrier whose kit-auth is off', () => {
  it('carries nobody, and resumes without a user, whatever data carries', async () => {
    const on = await new JobsApp().start();
    const sent = on.get(KitAuthContext).run(loginUser(), () => on.carrier.data('reports', MAY, REPORT));
    for (const jobs of [JOBS, {}]) {
      const app = await new JobsApp({ options: { enabled: false } }, jobs).start();
      const seen = () => app.get(KitAuthContext).get();
      expect(app.carrier.data('reports', MAY, REPORT)).toEqual(MAY);
      expect(app.carrier.headers('reports', 'text', REPORT)).toEqual({});
      for (const data of [sent, { ...sent, month: 'June' }, MAY]) {
        const users = await app.carrier.resume('reports', data, (user) => [user, seen()], undefined, REPORT);
        expect(users).toEqual([undefined, undefined]);
      }
    }
  });
});
