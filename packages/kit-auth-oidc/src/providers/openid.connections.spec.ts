import { createSecretKey } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  ALL_BUT_DATE,
  CLIENT_ID,
  CLIENT_SECRET,
  freezeDate,
  MemoryLogger,
  pairOf,
  sharedHostileProvider,
  type Tampering,
} from 'test-support';
import { oidcOptions } from '../oidc.options.js';
import { Providers } from './providers.js';
import type { OAuth2Profile, OidcProvider } from './provider.options.js';
import { Discovery } from './discovery.js';
import { LogoutTokens } from './logout-tokens.js';
import { OpenIdConnections } from './openid.connections.js';

const SECRETS = { state: 'a-state', nonce: 'a-nonce', verifier: 'v'.repeat(43) };
const FAILED = '40114 provider';
const DOWN = '50300';
const HS256 = { alg: 'HS256' };
const OTHER_KEY = pairOf('ES256').privateKey;
const ALL_BUT_TIMEOUTS = [...ALL_BUT_DATE.filter((name) => !/Timeout$/.test(name)), 'Date'] as const;
const now = () => Math.floor(Date.now() / 1000);

const provider = sharedHostileProvider();
const token = () => `${provider.issuer}/token`;
let logs: MemoryLogger;
beforeEach(() => {
  provider.reset();
  provider.nonce = SECRETS.nonce;
  logs = new MemoryLogger();
  Logger.overrideLogger(logs);
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** The connections of an application with one provider. */
function connect(more: Partial<OidcProvider> = {}, path = '') {
  const resolved = oidcOptions.resolve({
    providers: [provider.settings('test', more, path)],
    redirectBase: 'https://api.example.com',
    returnTo: ['https://api.example.com/app'],
  });
  expect(resolved.problems).toEqual([]);
  const connections = new OpenIdConnections(new Discovery(resolved), new LogoutTokens(resolved), resolved);
  return { connections, settings: new Providers(resolved).get('test') };
}

type Connected = ReturnType<typeof connect>;

/** Comes back from the provider. */
function redeem({ connections, settings } = connect(), answer: Record<string, string> = {}) {
  const callback = new URL(settings.redirectUri);
  const given = { code: 'a-code', state: SECRETS.state, iss: provider.issuer, ...answer };
  callback.search = new URLSearchParams(given).toString();
  return connections.redeem(settings, callback, SECRETS);
}

/** `ok`, or the code of the refusal with its reason. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error: unknown) => {
      const { code, reason } = error as { code?: number; reason?: string };
      return [code, reason].filter(Boolean).join(' ');
    },
  );
}

function replies(path: string, status: number, body = '{}', headers: Record<string, string> = {}): void {
  provider.handlers[path] = (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

/** A provider that begins to answer, or does not, until the time for its answer is over. */
function hangs(path: string, begin: (response: ServerResponse) => void = () => undefined): jest.Mock {
  const controller = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(controller.signal);
  provider.handlers[path] = (_request, response) => {
    begin(response);
    setImmediate(() => controller.abort(new DOMException('too late', 'TimeoutError')));
  };
  return timeout as unknown as jest.Mock;
}

/** What was logged about failures. */
const lines = () => logs.all().split('\n').filter(Boolean);

describe('the authorization request', () => {
  const urlOf = async (more: Partial<OidcProvider>, request: { prompt?: string; isFresh?: boolean }) => {
    const { connections, settings } = connect(more);
    const { isFresh = false, prompt } = request;
    const url = new URL(await connections.authorizationUrl(settings, { ...SECRETS, isFresh, prompt }));
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`);
    return Object.fromEntries(url.searchParams);
  };
  const protectedBy = {
    client_id: CLIENT_ID,
    redirect_uri: 'https://api.example.com/v1/api/auth/oidc/test/callback',
    response_type: 'code',
    scope: 'openid email profile',
    state: SECRETS.state,
    nonce: SECRETS.nonce,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  };

  it.each<[string, Partial<OidcProvider>, { prompt?: string; isFresh?: boolean }, object]>([
    ['protects each login', {}, {}, protectedBy],
    [
      'has what the options add',
      { params: { hd: 'example.com' }, scopes: 'openid', prompt: 'select_account' },
      {},
      { ...protectedBy, scope: 'openid', hd: 'example.com', prompt: 'select_account' },
    ],
    [
      'has the prompt of the page instead of that of the options',
      { prompt: 'select_account' },
      { prompt: 'none' },
      { ...protectedBy, prompt: 'none' },
    ],
    [
      'asks the user again for a fresh login',
      { prompt: 'select_account' },
      { isFresh: true },
      { ...protectedBy, prompt: 'login', max_age: '0' },
    ],
  ])('%s', async (_what, more, request, expected) => {
    expect(await urlOf(more, request)).toEqual(expected);
  });

  it('of OAuth 2 has no nonce, and needs no discovery', async () => {
    const authorization = `${provider.issuer}/authorize`;
    const oauth2 = { authorization, token: token(), profile: () => Promise.reject(new Error()) };
    const { nonce: _, ...rest } = protectedBy;
    expect(await urlOf({ oauth2, scopes: 'read:user' }, {})).toEqual({ ...rest, scope: 'read:user' });
    expect(provider.calls).toEqual({});
  });
});

describe('an ID token', () => {
  it('is believed while the provider is honest', async () => {
    freezeDate();
    provider.tampering = { claims: { sid: 'a-session', auth_time: 4711, amr: ['mfa'] } };
    expect(await redeem()).toMatchObject({
      identity: {
        provider: 'test',
        issuer: provider.issuer,
        subject: 'ada',
        address: 'ada@example.com',
        isVerified: true,
      },
      tokens: { accessToken: 'an-access-token', idToken: expect.any(String), expiresIn: 60 },
      authTime: 4711,
      sub: 'ada',
      sid: 'a-session',
      methods: ['mfa'],
    });
    expect(lines()).toEqual([]);
  });

  it.each<[string, () => Tampering]>([
    ['alg none', () => ({ header: { alg: 'none' } })],
    ['HS256 with the secret', () => ({ header: HS256, key: createSecretKey(Buffer.from(CLIENT_SECRET)) })],
    ['another key', () => ({ key: OTHER_KEY })],
    ['another issuer', () => ({ claims: { iss: 'https://login.example.com' } })],
    ['another audience', () => ({ claims: { aud: 'other' } })],
    ['two audiences with azp', () => ({ claims: { aud: [CLIENT_ID, 'other'], azp: CLIENT_ID } })],
    ['exp in the past', () => ({ claims: { exp: now() - 300 } })],
    ['iat in the future', () => ({ claims: { iat: now() + 3600 } })],
    ['another nonce', () => ({ claims: { nonce: 'x' } })],
  ])('is not believed with %s, and one line says so without what was sent', async (_, tampering) => {
    provider.tampering = tampering();
    expect(await outcomeOf(redeem())).toBe(FAILED);
    expect(lines()).toEqual([expect.stringContaining('a login with test failed: ')]);
    expect(logs.all()).not.toMatch(/a-code|an-access-token|4711|ada@example/);
  });

  it('cannot make the server ask for keys again and again', async () => {
    const connected = connect();
    await redeem(connected);
    for (let i = 0; i < 30; i++) {
      provider.tampering = { header: { kid: `kid-${i}` } };
      expect(await outcomeOf(redeem(connected))).toBe(FAILED);
    }
    expect(provider.calls['/jwks']).toBeLessThanOrEqual(2);
  });

  it.each([[''], ['https://evil.example'], ['https://other.example/']])(
    'is not asked for when the answer names the issuer %j',
    async (iss) => {
      expect(await outcomeOf(redeem(connect(), { iss }))).toBe(FAILED);
      expect(provider.calls['/token']).toBeUndefined();
    },
  );

  it('is not asked for with the state of another attempt', async () => {
    expect(await outcomeOf(redeem(connect(), { state: 'another' }))).toBe(FAILED);
    expect(provider.calls['/token']).toBeUndefined();
  });
});

describe('the user info', () => {
  const redeemed = async (info: object, scopes?: string, claims: object = {}) => {
    provider.tampering = { claims: { email: undefined, email_verified: undefined, ...claims } };
    provider.userInfo = { sub: 'ada', ...info };
    return redeem(connect({ ...(scopes && { scopes }) }));
  };

  it('has the address where the ID token has none', async () => {
    const { identity } = await redeemed({ email: 'x@example.com', email_verified: true, name: 'Ada' });
    expect(identity).toMatchObject({ address: 'x@example.com', isVerified: true, name: 'Ada' });
  });

  it.each<[string, claims: object, info: object, isVerified: boolean]>([
    ['the user info says so', {}, { email_verified: true }, true],
    ['the user info says that it is not', {}, { email_verified: false }, false],
    ['nobody says so', {}, {}, false],
    ['the user info says so with a text', {}, { email_verified: 'true' }, false],
    ['the ID token says so', { email_verified: true }, {}, true],
    [
      'the ID token says so, and the user info has null',
      { email_verified: true },
      { email_verified: null },
      true,
    ],
    ['the ID token says that it is not', { email_verified: false }, {}, false],
    ['the user info denies it', { email_verified: true }, { email_verified: false }, false],
    ['the ID token has null for both', { email: null, email_verified: null }, { email_verified: true }, true],
    ['the ID token has an empty one', { email: '' }, { email_verified: true }, true],
  ])('has an address, which is verified or not: %s', async (_when, claims, info, isVerified) => {
    const login = await redeemed({ email: 'x@example.com', ...info }, undefined, claims);
    expect(login.identity).toMatchObject({ address: 'x@example.com', isVerified });
    expect(login.verified).toBeUndefined(); // asked already
  });

  it.each<[string, info: object, isVerified: boolean]>([
    ['without saying which', { email_verified: true }, true],
    ['of null', { email: null, email_verified: true }, true],
    ['the same one', { email: 'Ada@Example.com', email_verified: true }, true],
    ['another one', { email: 'victim@example.com', email_verified: true }, false],
    ['what is none', { email: 7, email_verified: true }, false],
    ['one that is not', { email: 'ada@example.com', email_verified: false }, false],
    ['with a text', { email: 'ada@example.com', email_verified: 'true' }, false],
  ])('can have verified the address of the ID token: %s', async (_which, info, isVerified) => {
    const login = await redeemed({ ...info, name: 'Ada' }, undefined, {
      email: 'ada@example.com',
      name: undefined,
    });
    expect(login.identity).toMatchObject({ address: 'ada@example.com', isVerified: false });
    expect(provider.calls['/userinfo']).toBeUndefined(); // only a sign-up needs it
    expect(await login.verified!()).toMatchObject({
      provider: 'test',
      subject: 'ada',
      address: 'ada@example.com',
      isVerified,
      name: 'Ada',
    });
    expect(provider.calls['/userinfo']).toBe(1);
  });

  it.each<[string, object, Partial<OidcProvider>, metadata?: object]>([
    ['the ID token says that the address is verified', { email_verified: true }, {}],
    ['the ID token says that it is not', { email_verified: false }, {}],
    ['the options say so', {}, { emailVerified: 'always' }],
    ['the options say that none is', {}, { emailVerified: 'never' }],
    ['the ID token has no valid address', { email: 'x' }, {}],
    ['the scopes do not allow it', {}, { scopes: 'openid' }],
    ['there is no user info', {}, {}, { userinfo_endpoint: undefined }],
  ])('is not asked about the address if %s', async (_when, claims, more, metadata = {}) => {
    provider.metadata = metadata as never;
    provider.tampering = { claims: { email_verified: undefined, ...claims } };
    expect((await redeem(connect(more))).verified).toBeUndefined();
    expect(provider.calls['/userinfo']).toBeUndefined();
  });

  it('of another user cannot have verified an address, nor can one that fails', async () => {
    const { verified } = await redeemed({ sub: 'eve', email_verified: true }, undefined, {
      email: 'ada@example.com',
    });
    expect(await outcomeOf(verified!())).toBe(FAILED);
    replies('/userinfo', 500);
    expect(await outcomeOf(verified!())).toBe(DOWN);
    expect(lines()).toHaveLength(2);
  });

  it('says nothing about second factors, and not when the user was asked', async () => {
    const login = await redeemed({ email: 'x@example.com', amr: ['mfa'], acr: 'mfa', auth_time: now() });
    expect(login).toMatchObject({ authTime: undefined, methods: [] });
  });

  it('is not asked for without need', async () => {
    await redeem();
    await redeemed({}, 'openid profile');
    expect(provider.calls['/userinfo']).toBeUndefined();
  });

  it('of another user is not believed', async () => {
    expect(await outcomeOf(redeemed({ sub: 'eve', email: 'x@example.com' }))).toBe(FAILED);
  });
});

describe('a provider that fails', () => {
  it.each<[string, () => void, string, RegExp]>([
    ['an error of the server', () => replies('/token', 500), DOWN, /500/],
    ['another status', () => replies('/token', 418), DOWN, /OAUTH_RESPONSE_IS_NOT_CONFORM, status 418/],
    ['HTML', () => replies('/token', 200, '<h1>', { 'content-type': 'text/html' }), DOWN, /NOT_JSON/],
    ['10 MB', () => replies('/token', 200, `"${'x'.repeat(10_000_000)}"`), FAILED, /failed: \w+/],
    ['a refusal', () => replies('/token', 400, '{"error":"invalid_client"}'), FAILED, /invalid_client/],
    [
      'a wrong client secret',
      () => replies('/token', 401, '{"error":"invalid_client"}', { 'www-authenticate': 'Basic realm="idp"' }),
      FAILED,
      /invalid_client/,
    ],
    ['an error of the user info', () => replies('/userinfo', 500), DOWN, /500/],
  ])('with %s is unavailable or refused, and the log says why', async (_, fail, outcome, line) => {
    fail();
    provider.tampering = { claims: { email: undefined } };
    expect(await outcomeOf(redeem())).toBe(outcome);
    expect(lines()).toEqual([expect.stringMatching(line)]);
  });

  it.each<[string, string, (response: ServerResponse) => void]>([
    ['never answers', '/token', () => undefined],
    ['never ends its answer', '/token', (response) => void response.writeHead(200).write('{')],
    ['never ends its user info', '/userinfo', (response) => void response.writeHead(200).write('{')],
  ])('because it %s is unavailable after timeoutMs', async (_, path, begin) => {
    const connected = connect();
    await redeem(connected); // knows the provider by now
    const timeout = hangs(path, begin);
    provider.tampering = { claims: { email: undefined } };
    expect(await outcomeOf(redeem(connected))).toBe(DOWN);
    expect(timeout.mock.calls.length).toBeGreaterThan(0);
    expect(new Set(timeout.mock.calls.flat())).toEqual(new Set([5000]));
  });

  it('whose connection ends is unavailable', async () => {
    const connected = connect();
    await redeem(connected);
    // An error of this context: openid-client asks for its class.
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('terminated'));
    expect(await outcomeOf(redeem(connected))).toBe(DOWN);
    expect(lines()).toEqual([expect.stringContaining('TypeError')]);
  });

  it('says that its user has refused', async () => {
    expect(await outcomeOf(redeem(connect(), { error: 'access_denied' }))).toBe('40114 denied');
  });

  it('may say which error of OAuth it was', async () => {
    expect(await outcomeOf(redeem(connect(), { error: 'login_required' }))).toBe(FAILED);
    expect(lines()).toEqual([expect.stringContaining('login_required')]);
  });

  it.each([
    'ada@example.com',
    'kato_4711',
    'the code is 4711',
    'x\n[Nest] 1  - LOG [KitAuth] [auth] login of root\u001b[2J',
  ])('writes nothing else into the log, such as %j', async (error) => {
    expect(await outcomeOf(redeem(connect(), { error }))).toBe(FAILED);
    expect(lines()).toEqual([expect.stringContaining('a login with test failed')]);
    expect(logs.all()).not.toContain(error);
    expect(logs.all()).not.toContain('\u001b');
  });
});

describe('a provider of OAuth 2', () => {
  const withProfile = (profile: NonNullable<OidcProvider['oauth2']>['profile']): Connected => {
    const answer = { access_token: 'an-access-token', token_type: 'bearer' };
    replies('/token', 200, JSON.stringify(answer));
    return connect({ oauth2: { authorization: `${provider.issuer}/authorize`, token: token(), profile } });
  };

  it('is asked for the profile of its user', async () => {
    const profile = jest.fn<(token: string, get: unknown) => Promise<OAuth2Profile>>(async () => ({
      subject: '4711',
      address: 'ada@example.com',
      verified: true,
    }));
    expect(await redeem(withProfile(profile))).toMatchObject({
      identity: { subject: '4711', address: 'ada@example.com', isVerified: true, claims: {} },
      tokens: { accessToken: 'an-access-token' },
      sub: undefined,
    });
    expect(profile).toHaveBeenCalledWith('an-access-token', expect.any(Function));
  });

  it.each<[string, () => unknown, string, RegExp]>([
    ['throws', () => Promise.reject(new Error('no network')), DOWN, /profile of a user .* no network/],
    ['has no subject', async () => ({ name: 'Ada' }), FAILED, /"subject" of the profile is not/],
    ['is nothing', async () => undefined, FAILED, /"subject" of the profile is not/],
  ])('fails when the profile %s', async (_, profile, outcome, line) => {
    expect(await outcomeOf(redeem(withProfile(profile as never)))).toBe(outcome);
    expect(lines()).toEqual([expect.stringMatching(line)]);
  });

  it('fails after timeoutMs when the profile never comes', async () => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    let failed!: Promise<string>;
    await new Promise<void>((asked) => {
      const profile = () => {
        setImmediate(asked);
        return new Promise<never>(() => undefined);
      };
      failed = outcomeOf(redeem(withProfile(profile)));
    });
    jest.advanceTimersByTime(5000);
    expect(await failed).toBe(DOWN);
    expect(logs.all()).toContain('gave no answer in 5000 ms');
  });

  it('reads nothing else of the network than https, with an end', async () => {
    const fetched = withProfile(async (_token, fetch) => {
      await fetch('http://api.example.com/user');
      return { subject: '4711' };
    });
    expect(await outcomeOf(redeem(fetched))).toBe(DOWN);
    expect(lines()).toEqual([expect.stringContaining('a URL is not an https URL')]);
  });

  it('has no logout', async () => {
    const { connections, settings } = withProfile(async () => ({ subject: '1' }));
    expect(await connections.logoutUrl(settings, 'https://api.example.com/app')).toBeUndefined();
    expect(await connections.readLogoutToken(settings, 'a.b.c')).toBeUndefined();
  });
});

describe('the logout at the provider', () => {
  const urlOf = async () => {
    const { connections, settings } = connect();
    return connections.logoutUrl(settings, 'https://api.example.com/app');
  };

  it('is a page of it, for this client', async () => {
    provider.metadata = { end_session_endpoint: `${provider.issuer}/end` };
    const url = new URL((await urlOf())!);
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/end`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT_ID,
      post_logout_redirect_uri: 'https://api.example.com/app',
    });
  });

  it('is not known of all providers', async () => {
    expect(await urlOf()).toBeUndefined();
  });
});
