import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, NotFoundException } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type AuthPolicy,
  Authorize,
  type LoginUser,
  RequirePermissions,
} from 'kit-auth';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { actingWithKey } from 'kit-auth-keys/testing';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { EVERYWHERE, freezeDate, sharedTestApp, totpCode } from 'test-support';
import { FactorsApp, STEP_MS } from '../factors/app.js';

const POINTS = ['kit-auth:decision', 'kit-auth:login', 'kit-auth:throttle'];
const OPERATIONS = ['kit-auth:resolve', 'kit-auth:hash', 'kit-auth:store'];
const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

/** What is published while a test runs. */
const heard: [channel: string, message: object][] = [];
const listeners = [
  ...POINTS.map((name) => [name, (message: unknown) => heard.push([name, { ...(message as object) }])]),
  ...OPERATIONS.flatMap((name) =>
    EVENTS.map((event) => [
      `tracing:${name}:${event}`,
      (message: unknown) => heard.push([`${name}:${event}`, { ...(message as object) }]),
    ]),
  ),
] as [string, () => void][];

beforeEach(() => {
  heard.length = 0;
  listeners.forEach(([name, listener]) => subscribe(name, listener));
});
afterEach(() => {
  listeners.forEach(([name, listener]) => unsubscribe(name, listener));
});

const on = (channel: string) => heard.filter(([name]) => name === channel).map(([, message]) => message);
const ended = (operation: string) =>
  [...on(`${operation}:end`), ...on(`${operation}:asyncEnd`)].filter((message) => 'outcome' in message);
const clear = () => (heard.length = 0);

class NobodyPolicy implements AuthPolicy {
  can(user: LoginUser): boolean {
    switch (user.nickname) {
      case 'gone':
        throw new NotFoundException();
      case 'broken':
        throw new Error(`no row for ${user.username}`);
      case 'own':
        throw new AuthException(AuthErrorCode.FORBIDDEN, { reason: user.username });
      default:
        return false;
    }
  }
}

@Controller('v1/notes')
class NotesController {
  @Get()
  list() {
    return [];
  }

  @Get('written')
  @RequirePermissions('note:write')
  written() {
    return [];
  }

  @Get('nobody/:id')
  @Authorize(NobodyPolicy)
  nobody() {
    return [];
  }

  @Get('listed/:id')
  listed() {
    return [];
  }
}

describe.each(EVERYWHERE)('the diagnostics channels on $platform with $provider', (where) => {
  const scheme = where.provider === 'jwt' ? 'jwt-stateless' : 'session-token';
  const app = sharedTestApp({
    ...where,
    options: { whiteList: ['/v1/notes/listed/**'], login: { throttle: { addressFailures: 100 } } },
    imports: [KitAuthKeysModule.forRoot({})],
    controllers: [NotesController],
    providers: [NobodyPolicy],
  });
  let token: string;
  beforeAll(async () => {
    await app.role({ code: 'writer', permissions: ['note:write'] });
    await app.user({ username: 'ada', roles: ['writer'] });
    await app.user({ username: 'off', status: AuthUserStatus.DISABLED });
    token = await app.tokenOf('ada');
  });

  it('tell of admitted requests, with a token and with a key', async () => {
    expect((await app.request('/v1/notes', { token })).status).toBe(200);
    expect(on('kit-auth:decision')).toEqual([{ via: 'http', outcome: 'admitted', scheme }]);
    expect(ended('kit-auth:resolve')).toEqual([{ scheme, outcome: 'succeeded' }]);
    const { key } = await actingWithKey(app.nest, 'ada', ['note:write']);
    clear();
    expect((await app.request('/v1/notes/written', { token: key })).status).toBe(200);
    expect(on('kit-auth:decision')).toEqual([{ via: 'http', outcome: 'admitted', scheme: 'api-key' }]);
    expect(ended('kit-auth:store')).toEqual([{ store: 'keys', operation: 'find', outcome: 'succeeded' }]);
  });

  it('tell why requests are refused, in words of a closed set', async () => {
    const decisionOf = async (path: string, parts: { token?: string }) => {
      clear();
      await app.request(path, parts);
      return on('kit-auth:decision');
    };
    const refused = { via: 'http', outcome: 'refused' };
    expect(await decisionOf('/v1/notes', {})).toEqual([{ ...refused, code: 40100 }]);
    expect(await decisionOf('/v1/notes', { token: 'x' })).toEqual([
      { ...refused, code: 40101, reason: 'malformed' },
    ]);
    expect(ended('kit-auth:resolve')).toEqual([
      { scheme, outcome: 'refused', code: 40101, reason: 'malformed' },
    ]);
    expect(on('kit-auth:resolve:error')).toHaveLength(1);
    const asking = async (nickname: string) => ({
      token: await app.tokenOf(await app.user({ nickname })),
    });
    for (const [nickname, decision] of [
      ['any', { ...refused, code: 40300 }],
      ['gone', refused],
      ['own', { ...refused, code: 40300, reason: 'other' }],
      ['broken', { via: 'http', outcome: 'failed' }],
    ] as const) {
      expect(await decisionOf('/v1/notes/nobody/1', await asking(nickname))).toEqual([decision]);
    }
  });

  it('tell the same of a wrong password and an unknown user', async () => {
    const messagesOf = async (username: string, password: string) => {
      clear();
      await app.login(username, password);
      return heard.map(([channel, message]) => [channel, { ...message, waited: undefined }]);
    };
    const wrong = await messagesOf('ada', 'a wrong one 4711');
    expect(on('kit-auth:login')).toEqual([{ outcome: 'wrong-credentials' }]);
    expect(await messagesOf('nobody', 'a wrong one 4711')).toEqual(wrong);
  });

  it('never tell names, ids, tokens, passwords or paths', async () => {
    await app.request('/v1/notes', { token });
    await app.request('/v1/notes/listed/4711?token=secret', { token: `${token}x` });
    await app.request('/v1/notes/nobody/1', {
      token: await app.tokenOf(await app.user({ nickname: 'own' })),
    });
    await app.login('ada', 'a wrong one 4711');
    const text = JSON.stringify(heard);
    for (const secret of ['ada', 'user-', '4711', token, 'notes', 'secret', '127.0.0.1']) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('the diagnostics channels', () => {
  it('tell of both steps of a login with a second factor', async () => {
    const pass = freezeDate();
    const app = await new FactorsApp().start();
    const user = await app.enrolled();
    pass(STEP_MS);
    clear();
    const challenge = await app.challenge(user);
    await app.answer(challenge, '000000');
    await app.answer(challenge, totpCode(user.device.secret));
    expect(on('kit-auth:login')).toEqual([
      { outcome: 'second-factor-required' },
      { outcome: 'wrong-factor' },
      { outcome: 'succeeded' },
    ]);
  });
});
