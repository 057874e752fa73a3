import { describe, expect, it } from '@jest/globals';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { sharedJwksServer, sharedTestApp } from 'test-support';
import { HostileIssuersApp } from './hostile-issuers-app.js';

const claims = {
  roles: { fromClaim: 'realm_access.roles', map: { 'app-editor': 'editor' } },
  permissions: { fromScope: { 'notes.read': ['note:read'] } },
};

// What a token is, is tested in kit-auth-issuers/src/tokens/attacks.spec.ts, which needs no HTTP.
describe('tokens of other issuers', () => {
  const company = sharedJwksServer();
  const app = sharedTestApp(
    new HostileIssuersApp({
      platform: 'fastify',
      imports: [KitAuthBrowserModule],
      issuers: () => ({
        issuers: [company.settings({ name: 'company', user: { claims }, jwks: { keys: [company.key.jwk] } })],
        resource: 'https://api.example.com',
      }),
    }),
  );

  it('give their users what is mapped', async () => {
    const token = company.token({ claims: { scope: 'notes.read', realm_access: { roles: ['app-editor'] } } });
    expect(await app.userOf(token)).toMatchObject({
      scheme: 'issuer:company',
      factors: {},
      username: 'ada',
      roles: ['editor'],
      permissions: ['note:read'],
    });
    expect(await app.codeOf(token, '/v1/notes/all')).toBe(200);
    expect(await app.codeOf(company.token({ claims: { scope: 'notes' } }), '/v1/notes/all')).toBe(40300);
    const { json } = await app.request('/.well-known/oauth-protected-resource');
    expect(json.scopes_supported).toEqual(['notes.read']);
  });

  it('are refused as any other token of nobody', async () => {
    const of = async (token: string) => (await app.request('/v1/notes', { token })).text;
    expect(await of(company.token({ claims: { iss: 'https://c.example' } }))).toBe(await of('eyJ.x.y'));
  });
});
