import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, type DynamicModule, Get, Injectable, Module } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  AUTH_EVENT_SINK,
  type AuthEvent,
  type AuthEventSink,
  KitAuthModule,
  type KitAuthOptions,
  RequireRoles,
} from 'kit-auth';
import { database } from './databases.js';
import { EVERYWHERE, type Implementation, IMPLEMENTATIONS } from './implementations.js';
import { bearer, tokenOf } from './login.js';
import { type Running, start } from './platforms.js';
import { postJson, request } from './raw-http.js';
import './remember-hashes.js';

@Injectable()
class Listener {
  readonly heard: AuthEvent[] = [];

  @OnEvent('kit-auth.*')
  on(event: AuthEvent) {
    this.heard.push(event);
  }
}

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

@Module({})
class EventsApp {
  static with(implementation: Implementation, options: KitAuthOptions = {}): DynamicModule {
    return {
      module: EventsApp,
      imports: [
        database(),
        EventEmitterModule.forRoot({ wildcard: true }),
        KitAuthModule.forRoot({ password: { cost: 10 }, ...options }),
        IMPLEMENTATIONS[implementation],
      ],
      controllers: [ChiefsController],
      providers: [Listener, { provide: AUTH_EVENT_SINK, useClass: BrokenSink }],
    };
  }
}

let running: Running;
afterEach(async () => {
  BrokenSink.breaks = async () => undefined;
  await running.app.close();
});

const login = (username: string, password: string) =>
  postJson(running.port, '/v1/api/auth/login', { username, password });

describe.each(EVERYWHERE)('events on $platform with $implementation', ({ platform, implementation }) => {
  it('tell who did what to whom, from where, and no secret', async () => {
    running = await start(EventsApp.with(implementation, { login: { throttle: { failures: 2 } } }), {
      platform,
    });
    const token = await tokenOf(running.port);
    const call = (method: string, path: string) =>
      request(running.port, path, { method, headers: [bearer(token)] });
    await call('GET', '/v1/chiefs');
    await login('admin', 'guess-4711');
    await login('nobody-4711', 'guess-4711');
    await login('nobody-4711', 'guess-4711');
    await login('nobody-4711', 'guess-4711');
    const body = { currentPassword: 'admin', newPassword: 'a right one 4711' };
    await postJson(running.port, '/v1/api/auth/password', body, [bearer(token)]);
    await call('POST', '/v1/api/auth/logout');
    const { heard } = running.app.get(Listener);
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
    expect(heard.every(({ at }) => Math.abs(at.getTime() - Date.now()) < 60_000)).toBe(true);
    expect(JSON.stringify(heard)).not.toMatch(/4711|kats_|eyJ/);
  });
});

describe('a listener that fails', () => {
  it.each<[string, () => Promise<void>]>([
    [
      'at once',
      () => {
        throw new Error('full');
      },
    ],
    ['later', () => Promise.reject(new Error('full'))],
    ['with nothing', () => Promise.reject()],
  ])('%s changes no outcome but that of a change', async (_when, breaks) => {
    running = await start(EventsApp.with('session'));
    const failsLater = (() => Promise.reject(new Error('an async listener'))) as () => void;
    running.app.get(EventEmitter2).on('kit-auth.login', failsLater);
    running.app.get(EventEmitter2).on('kit-auth.logout', () => {
      throw new Error('a sync listener');
    });
    BrokenSink.breaks = breaks;
    const token = await tokenOf(running.port);
    expect((await login('admin', 'wrong')).json.code).toBe(40110);
    const body = { currentPassword: 'admin', newPassword: 'a right one 4711' };
    const change = await postJson(running.port, '/v1/api/auth/password', body, [bearer(token)]);
    expect([change.status, change.json.code]).toEqual([503, 50300]);
    expect((await login('admin', 'admin')).status).toBe(200);
    const logout = await request(running.port, '/v1/api/auth/logout', {
      method: 'POST',
      headers: [bearer(token)],
    });
    expect(logout.status).toBe(204);
    expect(running.logger.all()).toContain('a listener failed: Error: a sync listener');
    expect(running.logger.all()).toContain('a listener failed: Error: an async listener');
  });
});
