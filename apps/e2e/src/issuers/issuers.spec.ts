import { beforeAll, describe, expect, it } from '@jest/globals';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { actingWithKey } from 'kit-auth-keys/testing';
import { compactVerify, createRemoteJWKSet, decodeJwt } from 'jose';
import { EVERYWHERE, sweepOf, type TestApp } from 'test-support';
import { IssuersApp } from './app.js';
import { newVerifier, TestBrowser } from '../oidc/app.js';
import { sharedProvider } from '../oidc/provider.process.js';

const API = 'https://notes.example';
const OTHER_API = 'https://other.example';
const CALLBACK = 'https://app.example/callback';
const clientOf = (id: string) => ({
  client_id: id,
  client_secret: 'secret',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code'],
  response_types: ['code'],
});

describe('access tokens of a real provider', () => {
  const provider = sharedProvider({
    clients: [clientOf('web'), clientOf('other')],
    resources: { [API]: 'notes.read notes.write', [OTHER_API]: 'notes.read' },
  });

  /** Logs somebody in at the provider. */
  async function tokensOf(sub: string, { resource = API, client = 'web' } = {}) {
    await provider.next({ sub });
    const { verifier, challenge } = newVerifier();
    const query = new URLSearchParams({
      client_id: client,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid notes.read',
      nonce: 'a-nonce',
      resource,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const end = await new TestBrowser(undefined as unknown as TestApp).through(
      `${provider.issuer}/auth?${query.toString()}`,
    );
    const response = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client}:secret`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: new URL(end).searchParams.get('code') ?? '',
        redirect_uri: CALLBACK,
        code_verifier: verifier,
        resource,
      }),
    });
    const { access_token: access, id_token: id } = (await response.json()) as Record<string, string>;
    return { access: access ?? '', id: id ?? '' };
  }

  describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(0, 1)))('on $platform with $provider', (where) => {
    let app: IssuersApp;
    let own: string;
    let key: string;
    let userId: number;
    beforeAll(async () => {
      const issuer = provider.issuer;
      const user = ({ sub }: { sub: string }) => (sub === 'ada' ? userId : undefined);
      app = await new IssuersApp({
        ...where,
        imports: [KitAuthKeysModule],
        issuers: {
          issuers: [{ issuer, audience: [API, 'web'], name: 'idp', claims: { client_id: 'web' }, user }],
        },
      }).start();
      const role = await app.role({ permissions: ['note:read'] });
      const ada = await app.user({ username: 'ada', roles: [role] });
      userId = ada.id;
      own = await app.tokenOf(ada);
      ({ key } = await actingWithKey(app.nest, 'ada', ['note:read']));
    });

    it('are accepted beside own tokens and API keys, on the same routes', async () => {
      const { access } = await tokensOf('ada');
      await compactVerify(access, createRemoteJWKSet(new URL(`${provider.issuer}/jwks`)));
      const { status, json } = await app.request('/v1/notes/mine', { token: access });
      expect([status, json]).toMatchObject([
        200,
        { scheme: 'issuer:idp', factors: {}, user: { userId, username: 'ada' } },
      ]);
      const codes = [access, own, key].map((token) => app.codeOf(token, '/v1/notes'));
      expect(await Promise.all(codes)).toEqual([200, 200, 200]);
    });

    it('are refused for another API, another client, nobody, and if they are ID tokens', async () => {
      const others = [
        await tokensOf('ada', { resource: OTHER_API }),
        await tokensOf('ada', { client: 'other' }),
        await tokensOf('eve'),
      ];
      const { id } = await tokensOf('ada');
      expect(decodeJwt(id)).toMatchObject({ aud: 'web', nonce: 'a-nonce' });
      const states = [...others.map(({ access }) => access), id].map((token) => app.stateOf(token));
      const malformed = '40101 malformed';
      expect(await Promise.all(states)).toEqual([malformed, malformed, '40101 unknown-user', malformed]);
    });
  });
});
