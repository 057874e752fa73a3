import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { AuthException, AuthManager, OptionalUser, Public, type UserId } from 'kit-auth';
import { TransportExchanges } from 'kit-auth/login';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import type { AuthUser } from 'kit-auth/typeorm';
import {
  type Answer,
  BOTH,
  EVERYWHERE,
  EventListener,
  freezeDate,
  PASSWORD,
  sharedTestApp,
  type TestAppOptions,
} from 'test-support';
import { BrowserApp, OWN_PAGE, sentBack } from './app.js';
import { AccountController, Members } from './own-login.controller.js';

const CROSS_SITE = 'Sec-Fetch-Site: cross-site';
const NAMES = ['__Host-kit-auth', '__Host-kit-auth-refresh', '__Host-kit-auth-remember'];

/** Logins and logouts of the application that are not on the page of the guide. */
@Controller('own')
class OtherController {
  constructor(
    private readonly auth: AuthManager,
    private readonly exchanges: TransportExchanges,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /** With the parts of packages. */
  @Post('written')
  @Public()
  async written(
    @Body() { email, password }: Record<'email' | 'password', string>,
    @Req() request: object,
    @Res({ passthrough: true }) response: unknown,
  ) {
    return this.exchanges.write(
      { ...(await this.auth.login(email, password)), remember: true },
      request,
      response,
    );
  }

  @Post('reused')
  @Public()
  async reused(
    @Body() { token, id }: { token: string; id: UserId },
    @Req() request: object,
    @Res({ passthrough: true }) response: unknown,
  ) {
    const user = { userId: id, username: 'x', nickname: 'x', superAdmin: false };
    return this.exchanges.write({ token, user }, request, response);
  }

  @Get('login')
  @Public()
  logInByLink(@Query() { email, password }: Record<'email' | 'password', string>) {
    return this.auth.loginWithPassword(email, password);
  }

  @Post('remembered')
  @OptionalUser({ invalid: 'anonymous' })
  remembered(@Body() { email, password, keep }: { email: string; password: string; keep?: boolean }) {
    return this.auth.loginWithPassword(email, password, { ...(keep !== undefined && { remember: keep }) });
  }

  @Get('logout')
  @Public()
  async logOutByLink(@Query('token') token?: string): Promise<void> {
    await (token === undefined ? this.auth.logout() : this.auth.logout(token));
  }

  /** A resolver of GraphQL, called as @nestjs/graphql does. */
  @Post('graphql')
  @Public()
  @HttpCode(200)
  async graphql(
    @Body() { variables }: { variables: Record<'email' | 'password', string> },
    @Req() req: object,
    @Res({ passthrough: true }) res: object,
  ) {
    const resolver = { logIn: () => this.auth.loginWithPassword(variables.email, variables.password) };
    const none = undefined;
    const context = this.contexts.create(
      resolver,
      resolver.logIn,
      'logIn',
      none,
      none,
      none,
      none,
      { guards: false, filters: false, interceptors: false },
      'graphql',
    );
    try {
      return { data: await context(undefined, {}, { req, res }) };
    } catch (error) {
      return { errors: [{ extensions: (error as AuthException).getResponse() }] };
    }
  }
}

const controllers = [AccountController, OtherController];

class OwnLoginApp extends BrowserApp {
  /** Adds users for `register`. */
  readonly members = { create: async (email: string) => (await this.user({ username: email })).id };

  send(path: string, json: object, ...headers: string[]): Promise<Answer> {
    return this.request(path, { method: 'POST', json, headers });
  }
}

function ownLoginApp({ imports = [], ...options }: TestAppOptions) {
  const app: OwnLoginApp = new OwnLoginApp(
    { origins: ['https://front.example'] },
    {
      ...options,
      imports: [EventEmitterModule.forRoot({ wildcard: true }), ...imports],
      controllers,
      providers: [EventListener, { provide: Members, useFactory: () => app.members }],
    },
  );
  return sharedTestApp(app);
}

const outcomeOf = ({ status, json, cookies }: Answer) => [
  json?.code ?? status,
  cookies.map((line) => line.split('=')[0]),
];
const ageOf = ({ cookies }: Answer) => cookies.map((line) => /Max-Age=(\d+)$/.exec(line)?.[1]);

describe.each(EVERYWHERE)('own logins and logouts on $platform with $provider', (where) => {
  const app = ownLoginApp(where);
  let email: string;
  let credentials: { email: string; password: string };
  beforeAll(async () => {
    email = (await app.user()).username;
    credentials = { email, password: PASSWORD };
  });
  beforeEach(() => {
    freezeDate(1_900_000_000_000);
  });

  it('set the cookies of a login, with no token in the body', async () => {
    const answer = await app.send('/account/login', credentials, OWN_PAGE);
    expect(answer.json).toEqual({ user: expect.objectContaining({ username: email }) });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect([outcomeOf(answer), ageOf(answer)]).toEqual([[200, [NAMES[0]]], [undefined]]);
    const { json } = await app.request('/v1/api/auth/me', { headers: [`Cookie: ${sentBack(answer)}`] });
    expect(json.username).toBe(email);
  });

  it('last as long as the login if that is remembered, and no longer', async () => {
    const age = String(43_200);
    for (const [path, body] of [
      ['/account/login', { remember: true }],
      ['/own/remembered', { keep: true }],
      ['/own/written', {}],
    ] as const) {
      const answer = await app.send(path, { ...credentials, ...body }, OWN_PAGE);
      expect([path, outcomeOf(answer)[1], ageOf(answer)]).toEqual([path, [NAMES[0], NAMES[2]], [age, age]]);
    }
  });

  it('remember what they say themselves, not what the login before them said', async () => {
    const before = sentBack(await app.send('/account/login', { ...credentials, remember: true }, OWN_PAGE));
    const session = await app.send('/own/remembered', credentials, OWN_PAGE, `Cookie: ${before}`);
    expect(ageOf(session)).toEqual([undefined, '0']);
    const short = sentBack(session);
    const kept = await app.send(
      '/own/remembered',
      { ...credentials, remember: true },
      OWN_PAGE,
      `Cookie: ${short}`,
    );
    expect(ageOf(kept)).toEqual(['43200', '43200']);
  });

  it('answer other clients with the token', async () => {
    const { json, cookies } = await app.send('/account/login', credentials);
    expect([Object.keys(json), cookies]).toEqual([['token', 'user'], []]);
    expect(await app.stateOf(json.token)).toBe('live');
  });

  it.each(['/account/login', '/own/written', '/own/remembered', '/account/register'])(
    'refuse pages of other sites: %s',
    async (path) => {
      for (const [i, header] of [
        CROSS_SITE,
        'Origin: https://evil.example',
        'Sec-Fetch-Site: same-site',
      ].entries()) {
        const isNew = path === '/account/register';
        const body = isNew ? { ...credentials, email: `${email}-${i}` } : credentials;
        expect(outcomeOf(await app.send(path, body, header))).toEqual([40302, []]);
      }
    },
  );

  it('refuse links of other sites, as far as a password is enough', async () => {
    const link = `/own/login?${new URLSearchParams(credentials).toString()}`;
    expect(outcomeOf(await app.request(link, { headers: [CROSS_SITE] }))).toEqual([40302, []]);
    expect(outcomeOf(await app.request(link, { headers: [OWN_PAGE] }))).toEqual([200, [NAMES[0]]]);
  });

  it('never write cookies for them, whoever calls TransportExchanges.write()', async () => {
    const { json } = await app.login(email);
    const body = { token: json.token, id: json.user.userId };
    expect(outcomeOf(await app.send('/own/reused', body, CROSS_SITE))).toEqual([40302, []]);
    expect(await app.codeOf(json.token)).toBe(where.provider === 'session' ? 40101 : 200); // the login is ended
    expect(outcomeOf(await app.send('/own/reused', body, 'Origin: https://front.example'))).toEqual([
      201,
      [NAMES[0]],
    ]);
  });

  it('refuse bodies that are no login, without a look at the database', async () => {
    for (const body of [{}, { email }, { email, password: 7 }, { email: [email], password: PASSWORD }]) {
      expect(outcomeOf(await app.send('/account/login', body, OWN_PAGE))).toEqual([40000, []]);
    }
    expect(outcomeOf(await app.send('/account/login', { ...credentials, password: 'x' }, OWN_PAGE))).toEqual([
      40110,
      [],
    ]);
  });

  it('log in whoever has registered', async () => {
    const answer = await app.send('/account/register', { email: `new-${email}`, password: 'x' }, OWN_PAGE);
    expect(outcomeOf(answer)).toEqual([201, [NAMES[0]]]);
    expect(answer.json.user.username).toBe(`new-${email}`);
  });

  it('may be operations of GraphQL', async () => {
    const body = { query: 'mutation', variables: credentials };
    const answer = await app.send('/own/graphql', body, OWN_PAGE);
    expect([answer.json.data, outcomeOf(answer)]).toEqual([
      { user: expect.objectContaining({ username: email }) },
      [200, [NAMES[0]]],
    ]);
    const refused = await app.send('/own/graphql', body, CROSS_SITE);
    expect([refused.json.errors[0].extensions.code, refused.cookies]).toEqual([40302, []]);
  });

  it('end the login of the request, and delete its cookies', async () => {
    const cookie = sentBack(await app.send('/account/login', credentials, OWN_PAGE));
    const answer = await app.send('/account/logout', {}, OWN_PAGE, `Cookie: ${cookie}`);
    expect([outcomeOf(answer), ageOf(answer)]).toEqual([
      [204, NAMES],
      ['0', '0', '0'],
    ]);
    expect(app.get(EventListener).heard.at(-1)).toMatchObject({
      type: 'logout',
      subject: email,
    });
    const { status } = await app.request('/v1/api/auth/me', { headers: [`Cookie: ${cookie}`] });
    expect(status).toBe(where.provider === 'session' ? 401 : 200);
  });

  it('end the login of a token header, and leave the cookies of another', async () => {
    const token = await app.tokenOf(email);
    const cookie = sentBack(await app.send('/account/login', credentials, OWN_PAGE));
    const answer = await app.request('/account/logout', {
      method: 'POST',
      token,
      headers: [`Cookie: ${cookie}`],
    });
    expect(outcomeOf(answer)).toEqual([204, []]);
    expect(await app.codeOf(token)).toBe(where.provider === 'session' ? 40101 : 200);
    expect((await app.request('/v1/api/auth/me', { headers: [`Cookie: ${cookie}`] })).status).toBe(200);
  });

  it('end without a login, and with cookies that have expired or are forged', async () => {
    for (const headers of [[], ['Cookie: __Host-kit-auth=x'], [`Cookie: ${NAMES[0]}=a; ${NAMES[0]}=b`]]) {
      expect(outcomeOf(await app.send('/account/logout', {}, OWN_PAGE, ...headers))).toEqual([204, NAMES]);
    }
  });

  it('cannot be ended by a page of another site, by a link neither', async () => {
    const cookie = sentBack(await app.send('/account/login', credentials, OWN_PAGE));
    for (const headers of [
      [`Cookie: ${cookie}`, CROSS_SITE],
      [CROSS_SITE],
      ['Cookie: __Host-kit-auth=x', CROSS_SITE],
    ]) {
      expect(outcomeOf(await app.send('/account/logout', {}, ...headers))).toEqual([40302, []]);
      expect(outcomeOf(await app.request('/own/logout', { headers }))).toEqual([40302, []]);
    }
    const typed = await app.request('/own/logout', {
      headers: [`Cookie: ${cookie}`, 'Sec-Fetch-Site: none'],
    });
    expect(outcomeOf(typed)).toEqual([200, NAMES]);
  });

  it('end another token where one is given, and need a request where none is', async () => {
    const token = await app.tokenOf(email);
    expect((await app.request(`/own/logout?token=${token}`)).status).toBe(200);
    expect(await app.codeOf(token)).toBe(where.provider === 'session' ? 40101 : 200);
    await expect(app.get(AuthManager).logout()).rejects.toThrow('AuthManager.logout() without a token');
  });
});

describe.each(BOTH)('own logins and logouts with refresh tokens on %s', (platform) => {
  const app = ownLoginApp({
    platform,
    imports: [KitAuthRefreshModule],
    options: { jwt: { expireMinutes: 10 } },
  });
  let ada: AuthUser;
  let pass: (milliseconds: number) => void;
  beforeAll(async () => {
    ada = await app.user();
  });
  beforeEach(() => {
    pass = freezeDate(1_900_000_000_000);
  });

  it('end the login by the refresh token when the access token has expired', async () => {
    const credentials = { email: ada.username, password: PASSWORD, remember: true };
    const login = await app.send('/account/login', credentials, OWN_PAGE);
    expect(new Set(ageOf(login))).toEqual(new Set([String(30 * 86_400)]));
    const cookie = sentBack(login);
    pass(3_600_000);
    expect(outcomeOf(await app.send('/account/logout', {}, CROSS_SITE, `Cookie: ${cookie}`))).toEqual([
      40302,
      [],
    ]);
    const answer = await app.send('/account/logout', {}, OWN_PAGE, `Cookie: ${cookie}`);
    expect(outcomeOf(answer)).toEqual([204, NAMES]);
    expect(app.get(EventListener).heard.at(-1)).toMatchObject({ type: 'logout', subject: ada.username });
    const refresh = await app.send('/v1/api/auth/token/refresh', {}, OWN_PAGE, `Cookie: ${cookie}`);
    expect([refresh.json.code, refresh.json.reason]).toEqual([40101, 'logged-out']);
  });
});
