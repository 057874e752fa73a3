import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { bearer, BOTH, freezeDate, sharedTestApp } from 'test-support';
import { HostileIssuersApp } from './hostile-issuers-app.js';
import { AUDIENCE, IssuerKey, type Json, sharedJwksServer, type TokenParts } from './jwks-server.js';

const SIGNATURE = '40101 signature';
const MALFORMED = '40101 malformed';
const rsa = () => new IssuerKey('rsa', 'RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }));

const claims = {
  roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor' } },
  permissions: { fromScope: { 'notes.read': ['note:read'] } },
};

describe.each(BOTH)('tokens that attackers send, on %s', (platform) => {
  const company = sharedJwksServer();
  const partner = sharedJwksServer('/realms/one');
  const stranger = sharedJwksServer();
  const companyRsa = rsa();
  const app = sharedTestApp(
    new HostileIssuersApp({
      platform,
      issuers: () => ({
        issuers: [
          company.settings({
            name: 'company',
            user: { claims },
            jwks: { keys: [company.key.jwk, companyRsa.jwk] },
          }),
          partner.settings({ name: 'partner', user: { claims }, claims: { azp: 'web' }, typ: 'at+jwt' }),
        ],
      }),
    }),
  );
  const partners = (parts: TokenParts = {}) =>
    partner.token({ ...parts, claims: { azp: 'web', ...(parts.claims as object) } });

  it('are refused, unless they are honest', async () => {
    const [one, two] = [await app.userOf(company.token()), await app.userOf(partners())];
    expect([one.scheme, two.scheme]).toEqual(['issuer:company', 'issuer:partner']);
    expect(await app.stateOf(company.token({ key: companyRsa }))).toBe('live');
    expect([one.userId, two.userId]).toEqual([
      expect.stringMatching(/^ext_[a-z2-7]{26}$/),
      expect.stringMatching(/^ext_[a-z2-7]{26}$/),
    ]);
    // The same sub at two issuers.
    expect(one.userId).not.toBe(two.userId);
    expect((await app.userOf(company.token())).userId).toBe(one.userId);
  });

  describe('with another issuer', () => {
    it('that did not sign them are refused', async () => {
      const swapped = [
        company.token({ claims: { iss: partner.issuer, azp: 'web' } }),
        partners({ claims: { iss: company.issuer } }),
        company.token({ key: new IssuerKey('one') }),
        partners({ key: company.key }),
        company.token({ key: partner.key }),
      ];
      expect(await Promise.all(swapped.map((token) => app.stateOf(token)))).toEqual(
        swapped.map(() => SIGNATURE),
      );
    });

    it.each<[string, (issuer: string) => unknown]>([
      ['with a slash', (issuer) => `${issuer}/`],
      ['with a space', (issuer) => `${issuer} `],
      ['with another port', (issuer) => issuer.replace(/:\d+$/, ':1')],
      ['without a port', (issuer) => issuer.replace(/:\d+$/, '')],
      ['in upper case', (issuer) => issuer.replace('http', 'HTTP')],
      ['with percent-encoding', (issuer) => issuer.replace('127', '%31%32%37')],
      ['with a path', (issuer) => `${issuer}/realms/one`],
      ['as a list', (issuer) => [issuer]],
      ['as an object', (issuer) => ({ iss: issuer })],
      ['as null', () => null],
      ['absent', () => undefined],
      ['of strangers', () => stranger.issuer],
    ])('%s are those of the application, which refuses them', async (_how, iss) => {
      expect(await app.stateOf(company.token({ claims: { iss: iss(company.issuer) } }))).toBe(MALFORMED);
      expect(stranger.calls).toEqual({});
    });

    it('twice are refused, whichever is the last', async () => {
      const rest = JSON.stringify(company.honest()).slice(1);
      for (const first of [company.issuer, stranger.issuer]) {
        const twice = `{"iss":"${first}",${rest}`;
        expect(await app.stateOf(company.token({ claims: twice }))).toBe(MALFORMED);
        const last = `{${rest.slice(0, -1)},"iss":"${first}"}`;
        expect(await app.stateOf(company.token({ claims: last }))).toMatch(/^40101 (malformed|signature)$/);
      }
    });
  });

  describe('for another audience', () => {
    it.each<[string, unknown]>([
      ['none', undefined],
      ['null', null],
      ['that of another API', 'other-api'],
      ['of another case', AUDIENCE.toUpperCase()],
      ['a part of ours', AUDIENCE.slice(0, -1)],
      ['an empty list', []],
      ['a list of others', ['other-api', `${AUDIENCE} `]],
      ['a list of lists', [[AUDIENCE]]],
      ['a list with a number', [AUDIENCE, 7]],
      ['an object', { [AUDIENCE]: true }],
      ['a list of 1,000', [...Array.from({ length: 1000 }, (_, i) => `${i}`), AUDIENCE]],
    ])('are refused: %s', async (_which, aud) => {
      expect(await app.stateOf(company.token({ claims: { aud } }))).toBe(MALFORMED);
    });

    it('are refused by Node itself: a list of 10,000', async () => {
      const token = company.token({ claims: { aud: Array.from({ length: 10_000 }, () => AUDIENCE) } });
      expect((await app.request('/v1/notes', { token })).status).toBe(431);
    });

    it('are accepted where ours is among them', async () => {
      expect(await app.stateOf(company.token({ claims: { aud: ['other-api', AUDIENCE] } }))).toBe('live');
    });

    it('are refused: ID tokens and logout tokens of the same client, and tokens of other clients', async () => {
      expect(await app.stateOf(company.token({ claims: { nonce: 'x' } }))).toBe(MALFORMED);
      expect(await app.stateOf(company.token({ claims: { at_hash: 'x' } }))).toBe(MALFORMED);
      expect(await app.stateOf(company.token({ claims: { nonce: null } }))).toBe(MALFORMED);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      expect(await app.stateOf(company.token({ claims: { events } }))).toBe(MALFORMED);
      for (const typ of ['JWT', 'at', 'at+jwt ', ['at+jwt'], undefined]) {
        expect([typ, await app.stateOf(partners({ header: { typ } }))]).toEqual([typ, MALFORMED]);
      }
      expect(await app.stateOf(partners({ header: { typ: 'application/AT+JWT' } }))).toBe('live');
      for (const azp of ['mobile', undefined, ['web'], 'Web', null, true]) {
        expect([azp, await app.stateOf(partners({ claims: { azp } }))]).toEqual([azp, MALFORMED]);
      }
    });
  });

  describe('with another algorithm', () => {
    const publicKey = createPublicKey(company.key.privateKey);
    const secrets = [
      publicKey.export({ type: 'spki', format: 'pem' }),
      String(publicKey.export({ type: 'spki', format: 'pem' })).trim(),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(company.key.jwk),
      '',
    ];

    it.each(['HS256', 'HS384', 'HS512'])('are refused: %s with a public key', async (alg) => {
      for (const kid of ['one', 'rsa', undefined]) {
        for (const secret of secrets) {
          const sign = (input: string) => createHmac(alg.replace('HS', 'sha'), secret).update(input).digest();
          expect(await app.stateOf(company.token({ header: { alg, kid }, sign }))).toBe(MALFORMED);
        }
      }
    });

    it.each<unknown>([
      'none',
      'None',
      'NONE',
      '',
      'ES384',
      'RS512',
      'ES256 ',
      'es256',
      undefined,
      null,
      7,
      ['ES256'],
      {},
    ])('are refused: %p', async (alg) => {
      expect(await app.stateOf(company.token({ header: { alg } }))).toBe(MALFORMED);
      expect(await app.stateOf(company.token({ header: { alg }, sign: () => Buffer.alloc(64) }))).toBe(
        MALFORMED,
      );
      expect(await app.stateOf(company.token({ header: { alg }, sign: () => Buffer.alloc(0) }))).not.toBe(
        'live',
      );
    });

    it('are refused: one that the key is not for', async () => {
      const token = (alg: string, kid: string) => company.token({ header: { alg, kid }, key: companyRsa });
      expect(await app.stateOf(token('RS256', 'rsa'))).toBe('live');
      for (const [alg, kid] of [
        ['PS256', 'rsa'],
        ['RS256', 'one'],
        ['ES256', 'rsa'],
        ['EdDSA', 'one'],
      ] as const) {
        expect([alg, kid, await app.stateOf(token(alg, kid))]).toEqual([alg, kid, SIGNATURE]);
      }
    });

    it.each<[string, Buffer]>([
      ['none', Buffer.alloc(0)],
      ['zeros', Buffer.alloc(64)],
      ['ones', Buffer.alloc(64, 255)],
      ['r of zero', Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 1)])],
      ['an empty sequence in DER', Buffer.from('3006020100020100', 'hex')],
    ])('are refused: the signature is %s', async (_what, signature) => {
      expect(await app.stateOf(company.token({ sign: () => signature }))).toMatch(
        /^40101 (malformed|signature)$/,
      );
    });
  });

  describe('with a key of their own', () => {
    let canary: Server;
    let visits = 0;
    beforeAll(async () => {
      canary = createServer((_request, response) => {
        visits++;
        response.end(JSON.stringify({ keys: [stranger.key.jwk] }));
      });
      await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      canary.close();
    });

    it.each(['jku', 'x5u', 'jwk', 'x5c', 'x5t', 'x5t#S256', 'kid', 'iss'])(
      'in %s are refused, and no request is made',
      async (name) => {
        const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/keys`;
        const values: Record<string, unknown> = { jwk: stranger.key.jwk, x5c: ['MIIB'] };
        const header = { [name]: values[name] ?? url };
        for (const more of [{}, { kid: undefined }, { kid: 'unknown' }]) {
          const token = company.token({ header: { ...more, ...header }, key: stranger.key });
          expect(await app.stateOf(token)).toMatch(/^40101 (malformed|signature)$/);
        }
        expect(visits).toBe(0);
      },
    );

    it('beside the right key are accepted, and no request is made', async () => {
      const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/keys`;
      const header = { jku: url, x5u: url, jwk: stranger.key.jwk };
      expect(await app.stateOf(company.token({ header }))).toBe('live');
      expect(visits).toBe(0);
    });

    it.each<[string, Json]>([
      ['crit', { crit: ['exp'] }],
      ['an empty crit', { crit: [] }],
      ['b64', { b64: false }],
      ['a long kid', { kid: 'x'.repeat(257) }],
      ['a kid of 6 KB', { kid: 'x'.repeat(6000) }],
      ['a number as kid', { kid: 7 }],
      ['a list as kid', { kid: ['one'] }],
      ['null as kid', { kid: null }],
    ])('or with %s in the header are refused', async (_what, header) => {
      expect(await app.stateOf(company.token({ header }))).toBe(MALFORMED);
    });

    it.each(['', '../../etc/passwd', "' or 1=1", '__proto__', 'constructor', 'one\0', 'ONE', ' one'])(
      'or the kid %p are refused',
      async (kid) => {
        expect(await app.stateOf(company.token({ header: { kid } }))).toBe(SIGNATURE);
      },
    );

    it('or without a kid are accepted where one key is for their algorithm', async () => {
      expect(await app.stateOf(company.token({ header: { kid: undefined } }))).toBe('live');
    });
  });

  describe('with claims that', () => {
    it.each<[string, Json]>([
      ['are nested 1,000 times', { a: JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) }],
      [
        'name prototypes',
        JSON.parse('{"__proto__":{"superAdmin":true},"constructor":{"prototype":{"x":1}}}'),
      ],
      ['have no roles', { realm_access: undefined }],
      ['have a text as roles', { realm_access: { roles: 'app-editor' } }],
      ['have a number as roles', { realm_access: { roles: 7 } }],
      ['have an object as roles', { realm_access: { roles: { 0: 'app-editor', length: 1 } } }],
      ['have a list as the parent of roles', { realm_access: ['app-editor'] }],
      ['have roles in prototypes', JSON.parse('{"realm_access":{"__proto__":{"roles":["app-editor"]}}}')],
      ['have lists as roles', { realm_access: { roles: [['app-editor'], { a: 1 }, null, 7, true] } }],
      [
        'have names of prototypes as roles',
        { realm_access: { roles: ['__proto__', 'constructor', 'toString'] } },
      ],
      [
        'have other roles',
        { realm_access: { roles: ['App-Editor', 'app-editor ', 'SUPER_ADMIN', 'editor'] } },
      ],
      [
        'have roles elsewhere',
        { roles: ['editor', 'app-editor'], permissions: ['auth:*', '*'], superAdmin: true },
      ],
      [
        'have scopes of other spellings',
        { scope: 'Notes.read notes.read2\tnotes.read', scp: { 0: 'notes.read' } },
      ],
      ['have a scope of objects', { scope: [{ 'notes.read': 1 }], scp: 7 }],
      [
        'ask for another user',
        { userId: 'admin', actor: { userId: 'x' }, act: { sub: 'x' }, mustChangePassword: true },
      ],
    ])('%s grant nothing', async (_what, more) => {
      const user = await app.userOf(company.token({ claims: more }));
      expect(user).toMatchObject({ superAdmin: false, roles: [], permissions: [], factors: {} });
      expect(Object.keys(user)).not.toContain('actor');
      expect(({} as { superAdmin?: unknown }).superAdmin).toBeUndefined();
    });

    it('grant what is mapped, once', async () => {
      const user = await app.userOf(
        company.token({
          claims: {
            realm_access: { roles: ['app-editor', 'app-editor', 'x'] },
            scope: 'notes.read  notes.read openid',
            scp: ['notes.read'],
          },
        }),
      );
      expect(user).toMatchObject({ roles: ['editor'], permissions: ['note:read'] });
      expect(await app.codeOf(company.token({ claims: { scope: 'notes.read' } }), '/v1/notes/all')).toBe(200);
      expect(await app.codeOf(company.token({ claims: { scope: 'notes' } }), '/v1/notes/all')).toBe(40300);
    });

    it('have thousands of roles are answered', async () => {
      const roles = [...Array.from({ length: 1500 }, (_, i) => `r${i % 9}`), 'app-editor'];
      const user = await app.userOf(company.token({ claims: { realm_access: { roles } } }));
      expect(user.roles).toEqual([]);
    });

    it.each<[string, Json]>([
      ['name nobody', { sub: undefined }],
      ['have an empty sub', { sub: '' }],
      ['have a number as sub', { sub: 7 }],
      ['have a list as sub', { sub: ['ada'] }],
      ['have null as sub', { sub: null }],
      ['have a sub of 256 characters', { sub: 'x'.repeat(256) }],
    ])('%s are refused', async (_what, more) => {
      expect(await app.stateOf(company.token({ claims: more }))).toBe(MALFORMED);
    });

    it.each<[string, Json, Record<string, string>]>([
      ['no name', {}, { username: 'ada', nickname: 'ada' }],
      ['names', { preferred_username: 'al', name: 'Al' }, { username: 'al', nickname: 'Al' }],
      ['a number as name', { preferred_username: 7, name: ['x'] }, { username: 'ada', nickname: 'ada' }],
      ['empty names', { preferred_username: '', name: ' ' }, { username: 'ada', nickname: 'ada' }],
    ])('have %s have a name', async (_what, more, names) => {
      expect(await app.userOf(company.token({ claims: more }))).toMatchObject(names);
    });

    it('have long names with control characters are harmless', async () => {
      const name = `a\0\n\u001b[31m\u202e${'x'.repeat(3000)}`;
      const user = await app.userOf(company.token({ claims: { preferred_username: name, name } }));
      expect([user.username.length <= 255, user.nickname.length <= 255]).toEqual([true, true]);
      expect(`${user.username}${user.nickname}`).not.toMatch(/[\0-\x1f]/);
    });
  });

  describe('with times that', () => {
    afterEach(() => {
      jest.useRealTimers();
    });

    it.each<[string, (now: number) => Json, string]>([
      ['end now', (now) => ({ exp: now }), 'live'],
      ['ended four seconds ago', (now) => ({ exp: now - 4 }), 'live'],
      ['ended five seconds ago', (now) => ({ exp: now - 5 }), '40101 expired'],
      ['begin in five seconds', (now) => ({ nbf: now + 5 }), 'live'],
      ['begin in six seconds', (now) => ({ nbf: now + 6 }), MALFORMED],
      ['were issued in five seconds', (now) => ({ iat: now + 5 }), 'live'],
      ['were issued in six seconds', (now) => ({ iat: now + 6 }), MALFORMED],
      ['begin before they were issued in the future', (now) => ({ nbf: now, iat: now + 60 }), MALFORMED],
      ['lack iat', () => ({ iat: undefined }), 'live'],
      ['lack iat and end after 12 hours', (now) => ({ iat: undefined, exp: now + 43_205 }), 'live'],
      ['lack iat and end later', (now) => ({ iat: undefined, exp: now + 43_206 }), MALFORMED],
      ['last 12 hours', (now) => ({ iat: now, exp: now + 43_200 }), 'live'],
      ['last longer', (now) => ({ iat: now, exp: now + 43_201 }), MALFORMED],
      ['were issued long ago', (now) => ({ iat: now - 43_000, exp: now + 201 }), MALFORMED],
      ['lack exp', () => ({ exp: undefined }), MALFORMED],
      ['have null as exp', () => ({ exp: null }), MALFORMED],
      ['have a text as exp', (now) => ({ exp: String(now + 60) }), MALFORMED],
      ['have a list as exp', (now) => ({ exp: [now + 60] }), MALFORMED],
      ['have true as exp', () => ({ exp: true }), MALFORMED],
      ['have a huge exp', () => ({ exp: 1e300 }), MALFORMED],
      ['have a negative exp', () => ({ exp: -1 }), '40101 expired'],
      ['have milliseconds', (now) => ({ iat: now * 1000, exp: (now + 60) * 1000 }), MALFORMED],
      ['have a text as nbf', (now) => ({ nbf: String(now) }), MALFORMED],
      ['have a text as iat', (now) => ({ iat: String(now) }), MALFORMED],
      ['have a fraction', (now) => ({ iat: now - 0.5, exp: now + 60.5 }), 'live'],
    ])('%s', async (_what, times, state) => {
      freezeDate(Math.floor(Date.now() / 1000) * 1000);
      const token = company.token({ claims: times(Date.now() / 1000) });
      expect(await app.stateOf(token)).toBe(state);
    });

    it('have infinity are refused', async () => {
      const text = JSON.stringify(company.honest()).replace(/"exp":\d+/, '"exp":1e999');
      expect(await app.stateOf(company.token({ claims: text }))).toBe(MALFORMED);
    });

    it('pass while a token is used are noticed', async () => {
      const advance = freezeDate(Math.floor(Date.now() / 1000) * 1000);
      const token = company.token();
      const states = [await app.stateOf(token), await app.stateOf(token)];
      advance(304_000);
      states.push(await app.stateOf(token));
      advance(1000);
      states.push(await app.stateOf(token));
      expect(states).toEqual(['live', 'live', 'live', '40101 expired']);
    });
  });

  describe('elsewhere', () => {
    it('than in the token header are ignored', async () => {
      const token = company.token();
      for (const line of [
        `Cookie: token=${token}; Authorization=Bearer ${token}; kit-auth=${token}`,
        `X-Token: ${token}`,
      ]) {
        expect((await app.request('/v1/notes', { headers: [line] })).json.code).toBe(40100);
      }
      expect((await app.request(`/v1/notes?access_token=${token}&token=${token}`)).json.code).toBe(40100);
      const answer = await app.request('/v1/notes', { method: 'POST', json: { access_token: token, token } });
      expect(answer.json.code).toBe(40100);
    });

    it('than alone in it are refused', async () => {
      const [token, other] = [company.token(), partners()];
      for (const headers of [
        [bearer(token), bearer(token)],
        [bearer(token), bearer(other)],
        [bearer(await app.issueToken({ userId: '7' as never })), bearer(token)],
        [bearer(token), 'authorization: Basic YTpi'],
        [`Authorization: Bearer ${token}, Bearer ${other}`],
        [`Authorization: Bearer  ${token}`],
        [`Authorization: Bearer ${token} x`],
      ]) {
        const { status, json } = await app.request('/v1/notes', { headers });
        expect([status, json.code, json.reason]).toEqual([401, 40101, 'malformed']);
      }
    });

    it('than whole are refused', async () => {
      const token = company.token();
      const [header, payload, signature] = token.split('.') as [string, string, string];
      for (const other of [
        `${header}.${payload}`,
        `${header}.${payload}.`,
        `${token}.x`,
        `${token}=`,
        `${header}.${payload}=.${signature}`,
        `.${payload}.${signature}`,
        `${header}..${signature}`,
        token.slice(0, -1),
        `${token}A`,
        `${payload}.${header}.${signature}`,
      ]) {
        expect(await app.stateOf(other)).toMatch(/^40101 (malformed|signature)$/);
      }
    });
  });

  it('are refused, whichever character they change', async () => {
    const token = company.token();
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/~';
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...characters, ''),
        fc.constantFrom(0, 1),
        async (at, character, removed) => {
          const other = token.slice(0, at) + character + token.slice(at + removed);
          fc.pre(other !== token);
          expect(await app.stateOf(other)).toMatch(/^40101 (malformed|signature|expired)$/);
        },
      ),
      { numRuns: 500 },
    );
    expect(await app.stateOf(token)).toBe('live');
  });

  it('are refused or accepted, but never an error, whatever their claims are', async () => {
    const names = [
      'iss',
      'sub',
      'aud',
      'exp',
      'nbf',
      'iat',
      'auth_time',
      'azp',
      'scope',
      'scp',
      'realm_access',
      'name',
    ];
    const values = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(0, -0, 2 ** 53, 1e308, '', [], {}),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), values), async (more) => {
        expect(await app.stateOf(company.token({ claims: more }))).toMatch(
          /^(live|40101 (malformed|signature|expired))$/,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('do not keep own tokens from being accepted', async () => {
    const own = await app.issueToken({ userId: '7' as never });
    for (let i = 0; i < 3; i++) {
      await app.stateOf(company.token({ header: { kid: randomUUID() } }));
      expect(await app.userOf(own)).toMatchObject({ userId: '7', scheme: 'jwt-stateless' });
    }
  });

  it('leave nothing in the logs', () => {
    expect(app.logs.all()).not.toMatch(/eyJ|etc\/passwd|1=1/);
  });
});

describe.each(BOTH)('with tokens in cookies, on %s', (platform) => {
  const company = sharedJwksServer();
  const app = sharedTestApp(
    new HostileIssuersApp({
      platform,
      imports: [KitAuthBrowserModule],
      issuers: () => ({
        issuers: [company.settings({ user: { claims }, jwks: { keys: [company.key.jwk] } })],
      }),
    }),
  );

  it('those of other issuers are refused', async () => {
    const token = company.token();
    expect(await app.stateOf(token)).toBe('live');
    for (const name of ['__Host-kit-auth', 'kit-auth', '__Host-auth', 'auth', 'token']) {
      const { status } = await app.request('/v1/notes', { headers: [`Cookie: ${name}=${token}`] });
      expect(status).toBe(401);
    }
  });
});
