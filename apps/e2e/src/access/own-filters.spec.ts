import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  Injectable,
  Post,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import {
  AUTH_CREDENTIAL,
  type AuthCredential,
  AuthErrorCode,
  AuthManager,
  type AuthPolicy,
  Authorize,
  KitAuthContext,
  Public,
  RequireRoles,
} from 'kit-auth';
import { type Answer, BOTH, pairsOf, sharedTestApp, type TestAppOptions } from 'test-support';

interface PlatformResponse {
  status(status: number): this;
  send(body: unknown): void;
}

/** As many applications have one: it knows nothing of kit-auth. */
@Catch()
class CatchAll implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    const isHttp = exception instanceof HttpException;
    const status = isHttp ? exception.getStatus() : 500;
    host
      .switchToHttp()
      .getResponse<PlatformResponse>()
      .status(status)
      .send({
        caughtBy: 'CatchAll',
        message: isHttp ? exception.message : 'Internal server error',
        response: isHttp ? exception.getResponse() : undefined,
      });
  }
}

@Injectable()
class SlowRefusal implements AuthPolicy {
  async can(): Promise<boolean> {
    return false;
  }
}

/** A credential whose database is down. */
@Injectable()
class BrokenCredential implements AuthCredential {
  readonly scheme = 'broken';
  readonly prefix = 'broken_';
  async resolve(): Promise<never> {
    throw new Error('connection refused');
  }
}

@Controller('v1/things')
class ThingsController {
  constructor(
    private readonly context: KitAuthContext,
    private readonly manager: AuthManager,
  ) {}

  @Get() list() {}
  @Get('edited') @RequireRoles('editor') edited() {}
  @Get('slow') @Authorize(SlowRefusal) slow() {}
  @Get('mine') @Public() mine() {
    return this.context.getOrThrow().username;
  }
  @Post('login') @Public() login(@Body() { username, password }: { username: string; password: string }) {
    return this.manager.login(username, password);
  }
}

@Controller('v1/local')
@UseFilters(CatchAll)
class LocalController {
  @Get() list() {}
}

const NOT_OURS = ['x-powered-by', 'content-type', 'content-length', 'date', 'connection', 'etag', 'vary'];
const WAYS: Record<string, TestAppOptions> = {
  'without a filter of its own': {},
  'with a catch-all of useGlobalFilters()': {
    configure: (nest) => void nest.useGlobalFilters(new CatchAll()),
  },
  'with a catch-all as APP_FILTER': { providers: [{ provide: APP_FILTER, useClass: CatchAll }] },
};
const noStore = { 'cache-control': 'no-store' };
const bearer = (error = '') => ({ ...noStore, 'www-authenticate': `Bearer realm="kit-auth"${error}` });

describe.each(pairsOf(Object.keys(WAYS), BOTH))('a refusal of an application %s on %s', (way, platform) => {
  const { providers = [], ...options } = WAYS[way]!;
  const app = sharedTestApp({
    ...options,
    platform,
    trustProxy: true, // logins from one address slow each other down
    options: { login: { throttle: { failures: 1 } } },
    providers: [SlowRefusal, { provide: AUTH_CREDENTIAL, useClass: BrokenCredential }, ...providers],
    controllers: [ThingsController, LocalController],
  });
  let token: string;
  beforeAll(async () => {
    token = await app.tokenOf(await app.user({ username: 'ada' }));
  });

  /** The documented body, with what the answer has. */
  function expectRefusal(
    { status, json, headers, lines }: Answer,
    code: AuthErrorCode,
    wanted: object,
  ): void {
    const body = json.response ?? json;
    expect([status, body.statusCode]).toEqual([Math.trunc(code / 100), Math.trunc(code / 100)]);
    expect(body).toMatchObject({ code, error: AuthErrorCode[code], message: expect.any(String) });
    const names = lines
      .map((line) => line.split(':')[0]!.toLowerCase())
      .filter((it) => !NOT_OURS.includes(it));
    expect(names.sort()).toEqual(Object.keys(wanted).sort());
    expect(headers).toMatchObject(wanted);
    if (way !== 'without a filter of its own') {
      expect(json).toMatchObject({ caughtBy: 'CatchAll', message: body.message });
    }
  }

  it('for want of a valid token has the header WWW-Authenticate', async () => {
    expectRefusal(await app.request('/v1/things'), 40100, bearer());
    expectRefusal(await app.request('/v1/things', { token: 'x' }), 40101, bearer(', error="invalid_token"'));
    expectRefusal(await app.request('/v1/things/mine'), 40100, bearer());
    expectRefusal(await app.call(undefined, 'GET', 'me'), 40100, bearer());
  });

  it('for want of a role or a policy is not stored by caches', async () => {
    expectRefusal(await app.request('/v1/things/edited', { token }), 40300, noStore);
    expectRefusal(await app.request('/v1/things/slow', { token }), 40300, noStore);
  });

  it('because a database is down says when to try again', async () => {
    const answer = await app.request('/v1/things', { token: 'broken_1' });
    expectRefusal(answer, 50300, { ...noStore, 'retry-after': '1' });
  });

  it('of a body is not stored by caches', async () => {
    expectRefusal(await app.login('', ''), 40000, noStore);
    const headers = ['Content-Type: application/json'];
    const answer = await app.request('/v1/api/auth/login', { method: 'POST', headers, body: '{"username' });
    expectRefusal(answer, 40000, noStore);
  });

  it.each(['/v1/api/auth/login', '/v1/things/login'])('of a login at %s has its headers', async (target) => {
    const headers = [`X-Forwarded-For: 192.0.2.${target.length}`];
    const json = { username: `nobody at ${target}`, password: 'x' };
    const attempt = () => app.request(target, { method: 'POST', headers, json });
    expectRefusal(await attempt(), 40110, bearer());
    expectRefusal(await attempt(), 42900, { ...noStore, 'retry-after': expect.stringMatching(/^[1-9]\d*$/) });
  });

  it('reaches a filter of a controller with its headers', async () => {
    const { status, json, headers } = await app.request('/v1/local');
    expect([status, json.caughtBy, json.response.code]).toEqual([401, 'CatchAll', 40100]);
    expect(headers).toMatchObject(bearer());
  });
});
