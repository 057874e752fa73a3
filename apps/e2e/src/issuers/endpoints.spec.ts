import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { AuthManager, KitAuthContext, OptionalUser, RequireFresh, RouteAccessReport } from 'kit-auth';
import { SUPER_ADMIN } from 'kit-auth/typeorm';
import { KitAuthIssuersModule } from 'kit-auth-issuers';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { sharedTestApp, type TestAppOptions } from 'test-support';
import { fakeIssuer } from './app.js';
import { modulesWithEndpoints } from '../openapi/modules-with-endpoints.js';
import { RegistrationApp } from '../registration/app.js';

const PREFIX = '/v1/api/auth/';

@Controller('v1/pages')
class PagesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get('open')
  @OptionalUser()
  open() {
    return { user: this.context.get()?.username ?? null };
  }

  @Get('lenient')
  @OptionalUser({ invalid: 'anonymous' })
  lenient() {
    return this.open();
  }

  @Get('fresh')
  @RequireFresh()
  fresh() {
    return this.open();
  }
}

/** The account of a token of the issuer is the administrator's. */
function companyOf(user: () => number) {
  return fakeIssuer({ user: ({ sub }) => (sub === 'root' ? user() : undefined) });
}

describe('the endpoints of all packages', () => {
  let adminId = 0;
  const { fake, options } = companyOf(() => adminId);
  const whole: TestAppOptions = {
    platform: 'fastify',
    admin: true,
    controllers: [PagesController],
    imports: [
      ...modulesWithEndpoints(),
      KitAuthRefreshModule.forRoot({ accessMinutes: 60 }),
      KitAuthIssuersModule.forRoot({ issuers: [options], resource: 'https://api.example.com' }),
    ],
  };
  const app = sharedTestApp(new RegistrationApp({ email: { loginLinks: true }, ...whole }));
  const root = () => fake.token({ sub: 'root' });
  beforeAll(async () => {
    ({ id: adminId } = await app.user({ roles: [SUPER_ADMIN] }));
  });

  it('refuse an administrator of another issuer, except for me', async () => {
    const ours = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ path, decision }) => path.startsWith(PREFIX) && decision.startsWith('token'));
    expect(ours.length).toBeGreaterThan(50);
    const token = root();
    const answers = await Promise.all(
      ours.map(async ({ method, path }) => {
        const { json } = await app.request(path.replaceAll(/:\w+/g, '1'), { method, token, json: {} });
        return [`${method} ${path.slice(PREFIX.length)}`, (json as { code?: number }).code];
      }),
    );
    expect(answers.filter(([, code]) => code !== 40304)).toEqual([['GET me', undefined]]);
    expect((await app.call(token, 'POST', 'logout')).json.message).toBe(
      'This credential is not allowed here',
    );
  });

  it('that are open take no notice of the token', async () => {
    const token = root();
    const refused = await app.call(token, 'POST', 'login', { username: 'root', password: 'wrong' });
    expect(refused.json.code).toBe(40110);
    const ended = await app.call(token, 'POST', 'token/end', { refreshToken: token });
    expect(ended.status).toBeLessThan(300);
  });

  it('of the application know its user, and nobody else', async () => {
    const of = async (path: string, token: string) => {
      const { status, json } = await app.request(`/v1/pages/${path}`, { token });
      return status === 200 ? (json as { user: string | null }).user : (json as { code: number }).code;
    };
    const [good, strange] = [root(), fake.token({ sub: 'eve' })];
    const bad = `${good.slice(0, -2)}AA`;
    const known = expect.any(String);
    expect([await of('open', good), await of('open', strange)]).toEqual([known, 40101]);
    expect([await of('lenient', good), await of('lenient', bad)]).toEqual([known, null]);
    expect(await of('fresh', good)).toBe(40120);
    const manager = app.get(AuthManager);
    expect((await manager.getLoginUser(good, { credentials: true })).userId).toBe(adminId);
    await expect(manager.getLoginUser(good)).rejects.toMatchObject({ code: 40304 });
  });
});
