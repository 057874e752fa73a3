import { describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AUDIENCE, bearer, BOTH, sharedJwksServer, sharedTestApp } from 'test-support';
import { HostileIssuersApp } from './hostile-issuers-app.js';

const claims = { permissions: { fromScope: { 'notes.read': ['note:read'] } } };

// What a token is, is tested in kit-auth-issuers/src/tokens/attacks.spec.ts, which needs no HTTP.
describe.each(BOTH)('tokens of other issuers on %s', (platform) => {
  const company = sharedJwksServer();
  const app = sharedTestApp(
    new HostileIssuersApp({
      platform,
      imports: [KitAuthBrowserModule],
      issuers: () => ({
        issuers: [company.settings({ name: 'company', user: { claims }, jwks: { keys: [company.key.jwk] } })],
      }),
    }),
  );

  it('give their users the permissions that are mapped', async () => {
    const token = company.token({ claims: { scope: 'notes.read' } });
    expect(await app.userOf(token)).toMatchObject({ scheme: 'issuer:company', factors: {}, username: 'ada' });
    expect(await app.codeOf(token, '/v1/notes/all')).toBe(200);
    expect(await app.codeOf(company.token({ claims: { scope: 'notes' } }), '/v1/notes/all')).toBe(40300);
  });

  it('are refused as any other token of nobody', async () => {
    const of = async (token: string) => (await app.request('/v1/notes', { token })).text;
    expect(await of(company.token({ claims: { iss: 'https://c.example' } }))).toBe(await of('eyJ.x.y'));
    expect(await app.stateOf(company.token({ sign: () => Buffer.alloc(64, 1) }))).toBe('40101 signature');
  });

  it('are refused by Node itself with a list of 10,000 audiences', async () => {
    const token = company.token({ claims: { aud: Array.from({ length: 10_000 }, () => AUDIENCE) } });
    expect((await app.request('/v1/notes', { token })).status).toBe(431);
  });

  it('are ignored elsewhere than in the token header', async () => {
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

  it('are refused in the cookies of our own', async () => {
    const token = company.token();
    expect(await app.stateOf(token)).toBe('live');
    for (const name of ['__Host-kit-auth', 'kit-auth', '__Host-auth', 'auth', 'token']) {
      const { status } = await app.request('/v1/notes', { headers: [`Cookie: ${name}=${token}`] });
      expect(status).toBe(401);
    }
  });

  it('are refused unless they are alone in the token header', async () => {
    const [token, other] = [company.token(), company.token()];
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
});
