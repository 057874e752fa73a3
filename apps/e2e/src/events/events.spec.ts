import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import {
  AUTH_EVENT_SINK,
  AUTH_PROVIDER,
  type AuthEvent,
  type AuthEventSink,
  type AuthProvider,
  RequireRoles,
} from 'kit-auth';
import { EventListener, EVERYWHERE, loginUser, testApp, type TestAppOptions } from 'test-support';

@Controller('v1/chiefs')
class ChiefsController {
  @Get()
  @RequireRoles('chief')
  list() {}
}

/** Keeps nothing, in whatever way it is told to. */
@Injectable()
class BrokenSink implements AuthEventSink {
  static breaks: () => Promise<void> = async () => undefined;

  keep() {
    return BrokenSink.breaks();
  }
}

const start = (options: TestAppOptions) =>
  testApp({
    imports: [EventEmitterModule.forRoot({ wildcard: true })],
    controllers: [ChiefsController],
    providers: [EventListener, { provide: AUTH_EVENT_SINK, useClass: BrokenSink }],
    ...options,
  });

afterEach(() => {
  BrokenSink.breaks = async () => undefined;
});

describe.each(EVERYWHERE)('events on $platform with $provider', (where) => {
  it('name actor, subject and address, and contain no secret', async () => {
    const app = await start({ ...where, options: { login: { throttle: { failures: 2 } } } });
    const token = await app.adminToken();
    await app.request('/v1/chiefs', { token });
    await app.login('admin', 'guess-4711');
    for (let i = 0; i < 3; i++) {
      await app.login('nobody-4711', 'guess-4711');
    }
    const passwords = { currentPassword: 'admin', newPassword: 'a right one 4711' };
    await app.call(token, 'POST', 'password', passwords);
    await app.call(token, 'POST', 'logout');
    const { heard } = app.get(EventListener);
    const admin = { subjectId: 1, subject: 'admin' };
    const nobody = { subjectId: null, subject: null };
    const own = { actorId: 1, actor: 'admin' };
    expect(heard).toMatchObject([
      { type: 'login', success: true, ...admin, actorId: null, address: '127.0.0.1' },
      // A super administrator lacks nothing.
      { type: 'login-failed', success: false, ...admin, detail: 'LOGIN_FAILED', actorId: null },
      { type: 'login-failed', success: false, ...nobody },
      { type: 'login-failed', success: false, ...nobody },
      { type: 'login-throttled', success: false, ...nobody },
      { type: 'password-changed', success: true, ...admin, ...own },
      { type: 'logout', success: true, ...admin, ...own },
    ]);
    expect(JSON.stringify(heard)).not.toMatch(/4711|kats_|eyJ/);
    expect(heard.filter((event) => 'onBehalfOf' in event || 'onBehalfOfId' in event)).toEqual([]);
  });

  it('name who really acts, and on behalf of whom', async () => {
    const app = await start({ ...where, admin: true });
    const [ada, bob] = [await app.user({ username: 'ada' }), await app.user({ username: 'bob' })];
    const actor = { userId: 1, username: 'admin' };
    const [asAda, asBob] = await Promise.all(
      [ada, bob].map(({ id, username }) => {
        const factors = { password: Math.floor(Date.now() / 1000) };
        const user = loginUser({ userId: id, username });
        return app.get<AuthProvider>(AUTH_PROVIDER).issueToken(user, { factors, actor });
      }),
    );
    // Not folded into one: they are refusals of different users.
    expect([await app.codeOf(asAda, '/v1/chiefs'), await app.codeOf(asBob, '/v1/chiefs')]).toEqual([
      40300, 40300,
    ]);
    expect((await app.call(asAda, 'POST', 'logout')).status).toBe(204);
    const { heard } = app.get(EventListener);
    const represented = { actorId: 1, actor: 'admin', onBehalfOfId: ada.id, onBehalfOf: 'ada' };
    expect(heard).toMatchObject([
      { type: 'access-denied', ...represented },
      { type: 'access-denied', ...represented, onBehalfOfId: bob.id, onBehalfOf: 'bob' },
      { type: 'logout', ...represented, subjectId: ada.id, subject: 'ada' },
    ]);
    const { items } = (await app.call(await app.adminToken(), 'GET', 'audit?actor=admin&subject=ada')).json;
    expect(items).toMatchObject([{ type: 'logout', actorId: 1, detail: `on behalf of ada (${ada.id})` }]);
  });
});

describe('a sink that ignores a type of events', () => {
  @Injectable()
  class Selective implements AuthEventSink {
    readonly ignores = ['login', 'password-changed'] as const;
    readonly calls: string[] = [];

    async keep({ type }: AuthEvent) {
      this.calls.push(`keep ${type}`);
    }

    committed({ type }: AuthEvent) {
      this.calls.push(`committed ${type}`);
    }
  }

  it('is not called with them, neither alone nor with a change', async () => {
    const app = await start({
      provider: 'session',
      providers: [EventListener, Selective, { provide: AUTH_EVENT_SINK, useExisting: Selective }],
    });
    const token = await app.adminToken();
    const passwords = { currentPassword: 'admin', newPassword: 'a right one 4711' };
    expect((await app.call(token, 'POST', 'password', passwords)).status).toBe(204);
    await app.call(token, 'POST', 'logout');
    const types = app.get(EventListener).heard.map(({ type }) => type);
    expect(types).toEqual(['login', 'password-changed', 'logout']);
    expect(app.get(Selective).calls).toEqual(['keep logout', 'committed logout']);
  });
});

describe('a listener that fails', () => {
  it('affects changes only, not logins', async () => {
    const app = await start({ provider: 'session' });
    const failsLater = (() => Promise.reject(new Error('an async listener'))) as () => void;
    app.get(EventEmitter2).on('kit-auth.login', failsLater);
    app.get(EventEmitter2).on('kit-auth.logout', () => {
      throw new Error('a sync listener');
    });
    BrokenSink.breaks = () => Promise.reject();
    const token = await app.adminToken();
    expect((await app.login('admin', 'wrong')).json.code).toBe(40110);
    const passwords = { currentPassword: 'admin', newPassword: 'a right one 4711' };
    const change = await app.call(token, 'POST', 'password', passwords);
    expect([change.status, change.json.code]).toEqual([503, 50300]);
    expect((await app.login('admin', 'admin')).status).toBe(200);
    expect((await app.call(token, 'POST', 'logout')).status).toBe(204);
    expect(app.logs.all()).toContain('a listener failed: Error: a sync listener');
    expect(app.logs.all()).toContain('a listener failed: Error: an async listener');
  });
});
