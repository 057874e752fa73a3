import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AUTH_EVENT_SINK, AUTH_FACTOR, type AuthEvent, IllegalStateException, RequireFresh } from 'kit-auth';
import {
  EVERYWHERE,
  freezeDate,
  OpenApi,
  PASSWORD,
  PlainProviderModule,
  sharedTestApp,
  testApp,
} from 'test-support';

@Controller('v1/keys')
class KeysController {
  @Get()
  @RequireFresh()
  list() {
    return 'keys';
  }
}

const noted: AuthEvent[] = [];
const sink = { keep: async (event: AuthEvent) => void noted.push(event) };
const MINUTE = 60_000;

/** What is fresh: `fresh-login.spec.ts` of kit-auth. */
describe.each(EVERYWHERE)('@RequireFresh() on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    controllers: [KeysController],
    providers: [{ provide: AUTH_EVENT_SINK, useValue: sink }],
    options: { login: { throttle: false } },
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const codeOf = (token: string) => app.codeOf(token, '/v1/keys');
  const fresh = (token: string | undefined, password: unknown = PASSWORD) =>
    app.call(token, 'POST', 'fresh', { password });

  it('passes for ten minutes after a login, and after POST fresh', async () => {
    const pass = freezeDate();
    const { username, id } = await app.user();
    const token = await app.tokenOf(username);
    pass(10 * MINUTE);
    expect(await codeOf(token)).toBe(200);
    pass(1000);
    const refused = await app.request('/v1/keys', { token });
    expect(refused.json).toEqual({
      statusCode: 401,
      code: 40120,
      error: 'FRESH_LOGIN_REQUIRED',
      message: expect.any(String),
      missing: ['password'],
      reason: 'expired',
      maxAge: 600,
    });
    expect(refused.headers).toMatchObject({
      'www-authenticate': 'Bearer realm="kit-auth", error="insufficient_user_authentication", max_age="600"',
      'cache-control': 'no-store',
    });
    expect(await app.stateOf(token)).toBe('live');

    const answer = await fresh(token);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json).toEqual({
      token: expect.any(String),
      user: { userId: id, username, nickname: username, superAdmin: false },
    });
    expect([await codeOf(answer.json.token), await codeOf(token)]).toEqual([
      200,
      where.provider === 'session' ? 40101 : 40120,
    ]);
    expect(noted).toContainEqual(
      expect.objectContaining({ type: 'login-confirmed', subjectId: id, subject: username, success: true }),
    );
  });

  it('is not met by a wrong password, which ends nothing', async () => {
    const token = await app.tokenOf(await app.user());
    for (const [password, code] of [['wrong', 40110], ...['', 7, null, ['x']].map((it) => [it, 40000])]) {
      expect((await fresh(token, password)).json.code).toBe(code);
    }
    expect((await fresh(undefined)).json.code).toBe(40100);
    expect(await codeOf(token)).toBe(200);
  });

  it('is guessed at twenty times, also at once and without the throttle', async () => {
    const token = await app.tokenOf(await app.user());
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementation((() => Promise.resolve(false)) as never);
    const guess = async () => (await fresh(token)).json.code as number;
    const codes = await Promise.all(Array.from({ length: 40 }, guess));
    expect(compare).toHaveBeenCalledTimes(20);
    expect(codes.filter((code) => code === 40110)).toHaveLength(20);
    expect(await app.stateOf(token)).toBe(where.provider === 'jwt' ? 'live' : '40101 too-many-attempts');
  });
});

it('endpoints say that they may ask for the set-up of a second factor, where a factor can be required', async () => {
  const factor = { names: [], confirms: [], second: 'elsewhere', has: () => [], isRequiredFor: () => false };
  const app = await testApp({ providers: [{ provide: AUTH_FACTOR, useValue: factor }] });
  expect(new OpenApi(app).operation('GET sessions').responses['403']).toMatchObject({
    description: '40301 PASSWORD_CHANGE_REQUIRED, 40303 FACTOR_ENROLMENT_REQUIRED',
  });
});

describe('an implementation without proof', () => {
  it('cannot be used with @RequireFresh(), and start-up says where and why', async () => {
    const starting = testApp({ provider: PlainProviderModule, controllers: [KeysController] });
    await expect(starting).rejects.toThrow(IllegalStateException);
    await expect(starting).rejects.toThrow(/^KeysController\.list has @RequireFresh\(\), .+keepsProof/);
  });
});
