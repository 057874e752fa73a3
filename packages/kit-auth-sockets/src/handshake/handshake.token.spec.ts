import { describe, expect, it } from '@jest/globals';
import { AuthException, KitAuthModule, type KitAuthOptions } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { PlainUsersModule, sharedTestApp, TestApp } from 'test-support';
import type { KitAuthSocketsOptions } from '../sockets.options.js';
import { KitAuthSocketsModule } from '../kit-auth-sockets.module.js';
import { HandshakeToken } from './handshake.token.js';

const FRONT = 'https://front.example';
const COOKIE: [string, string] = ['Cookie', '__Host-kit-auth=of-cookie'];
const OWN: [string, string] = ['Sec-Fetch-Site', 'same-origin'];

interface Sent {
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly auth?: unknown;
  readonly url?: string;
}

/** Without HTTP. */
class App extends TestApp {
  constructor(sockets: KitAuthSocketsOptions = {}, options: KitAuthOptions = {}) {
    super({
      database: false,
      core: KitAuthModule.forRoot({ users: PlainUsersModule, ...options }),
      imports: [KitAuthSocketsModule.forRoot(sockets), KitAuthBrowserModule.forRoot({ origins: [FRONT] })],
    });
  }

  override async start(): Promise<this> {
    await this.create();
    await this.nest.init();
    return this;
  }

  /** The token, or the code and the reason of the refusal. */
  find({ headers = [], auth, url = '/chat' }: Sent): string {
    const rawHeaders = headers.flat();
    const request = {
      url,
      rawHeaders,
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      socket: { remoteAddress: '127.0.0.1' },
    };
    try {
      const found = this.get(HandshakeToken).find({ request, auth } as never);
      return typeof found === 'string'
        ? found
        : found instanceof AuthException
          ? `${found.code}`
          : found.token;
    } catch (error) {
      return error instanceof AuthException ? `${error.code} ${error.reason}` : String(error);
    }
  }
}

const inHeader = (value: string, name = 'Authorization') => [name, value] as const;
const MALFORMED = '40101 malformed';

describe('the token of a handshake', () => {
  const app = sharedTestApp(new App());

  it.each<[string, Sent]>([
    ['a', { headers: [inHeader('Bearer a')] }],
    ['a', { auth: { token: 'a' } }],
    ['a', { auth: { token: 'Bearer a' } }],
    ['a', { auth: { Authorization: 'Bearer a' } }],
    ['a', { auth: { authorization: 'Bearer a' } }],
    ['a', { auth: { authorization: 'a' } }],
    ['a', { auth: { Authorization: 'Bearer b', token: 'a' } }],
    ['b', { auth: { Authorization: 'Bearer b', token: null } }],
    ['a', { auth: { token: null }, headers: [inHeader('Bearer a')] }],
    ['a', { auth: null, headers: [inHeader('Bearer a')] }],
    ['of-cookie', { headers: [COOKIE, OWN] }],
    ['a', { headers: [COOKIE, OWN, inHeader('Bearer a')] }],
    ['a, Bearer a', { headers: [inHeader('Bearer a, Bearer a')] }],
    ['40100', {}],
    ...[
      null,
      {},
      { token: null },
      { Token: 'a' },
      'token',
      ['a'],
      4711,
      JSON.parse('{"__proto__":{"token":"a"}}'),
    ].map((auth): [string, Sent] => ['40100', { auth }]),
    ['bearer a', { auth: { token: 'bearer a' } }],
    ['40100', { url: '/chat?access_token=a' }],
    ['40100', { headers: [inHeader('Bearer ')] }],
    ['40100', { headers: [inHeader('bearer a')] }],
    ['40100', { headers: [inHeader('kit-auth, a', 'Sec-WebSocket-Protocol')] }],
    [MALFORMED, { headers: [inHeader('Bearer a'), inHeader('Bearer a')] }],
    [MALFORMED, { headers: [inHeader('Bearer a')], auth: { token: 'a' } }],
    [MALFORMED, { headers: [COOKIE, OWN], auth: { token: 'a' } }],
    [MALFORMED, { auth: { token: '' } }],
    ...['', 'Bearer', 'Bearer ', 'Basic YTpi'].map((value): [string, Sent] => [
      'of-cookie',
      { headers: [COOKIE, OWN], auth: { Authorization: value } },
    ]),
    ...[4711, {}, ['a'], true].flatMap((value): [string, Sent][] => [
      [MALFORMED, { auth: { token: value } }],
      [MALFORMED, { auth: { authorization: value } }],
    ]),
  ])('is %s for %j', (found, sent) => {
    expect(app.find(sent)).toBe(found);
  });

  it('has at most 12 KB in auth, and in the header what the implementation accepts', () => {
    const longest = 'x'.repeat(12_288);
    expect(app.find({ auth: { token: `Bearer ${longest}` } })).toBe(longest);
    expect(app.find({ auth: { token: `${longest}x` } })).toBe(MALFORMED);
    expect(app.find({ headers: [inHeader(`Bearer ${longest}x`)] })).toBe(`${longest}x`);
  });

  it.each<[boolean, [string, string][]]>([
    [true, [['Origin', FRONT]]],
    [true, [OWN]],
    [false, []],
    [false, [['Origin', 'https://evil.example']]],
  ])('may come from a cookie: %s for a page with %j', (isOwn, headers) => {
    expect(app.find({ headers: [COOKIE, ...headers] })).toMatch(isOwn ? /^of-cookie$/ : /^40302 /);
  });

  it('is warned of once in a query, without the token', () => {
    for (const name of ['access_token', 'accesstoken', 'token', 'auth', 'authorization', 'jwt', 'JWT']) {
      app.find({ url: `/chat?x=1&${name}=of-query` });
    }
    expect(app.logs.ours().filter((line) => line.includes('query'))).toEqual([
      expect.stringMatching(/^warn .*token in the query.*ignored/),
    ]);
    expect(app.logs.all()).not.toContain('of-query');
  });
});

describe('a place that is switched off', () => {
  const headers = sharedTestApp(new App({ from: ['header'] }));
  const cookies = sharedTestApp(new App({ from: ['cookie'] }));

  it('counts for nothing', () => {
    expect(headers.find({ headers: [COOKIE, OWN] })).toBe('40100');
    expect(headers.find({ headers: [COOKIE, ['Origin', 'https://evil.example']] })).toBe('40100');
    expect(headers.find({ headers: [COOKIE, inHeader('Bearer a')] })).toBe('a');
    expect(cookies.find({ headers: [inHeader('Bearer a')] })).toBe('40100');
    expect(cookies.find({ headers: [inHeader('Bearer a', 'AUTHORIZATION'), COOKIE, OWN] })).toBe('of-cookie');
  });
});

describe('a token with another header and prefix', () => {
  const app = sharedTestApp(new App({}, { tokenHeader: 'X-Token', tokenPrefix: 'Token ' }));

  it.each([
    ['a', { 'x-token': 'Token a' }],
    ['a', { token: 'Token a' }],
    ['Bearer a', { token: 'Bearer a' }],
    ['40100', { Authorization: 'Token a' }],
  ])('is %s in %j', (found, auth) => {
    expect(app.find({ auth })).toBe(found);
  });
});
