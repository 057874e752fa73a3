import { describe, expect, it } from '@jest/globals';
import { BOTH, sharedTestApp } from 'test-support';
import { COMPANY, fakeIssuer, IssuersApp } from './app.js';

const { options } = fakeIssuer({ user: () => undefined });
const other = { ...options, issuer: 'https://other.example' };
const METADATA = '/.well-known/oauth-protected-resource';

describe.each(BOTH)('the metadata of a resource on %s', (platform) => {
  const resource = 'https://api.example.com/mcp/notes';
  const app = sharedTestApp(
    new IssuersApp({
      platform,
      configure: (nest) => nest.setGlobalPrefix('api'),
      issuers: { issuers: [options, other], resource },
    }),
  );
  const path = `${METADATA}/mcp/notes`;

  it('is at the root of the host, with the path of the resource', async () => {
    const { status, json, headers } = await app.request(path);
    expect([status, json, headers['cache-control']]).toEqual([
      200,
      {
        resource,
        authorization_servers: [COMPANY, 'https://other.example'],
        bearer_methods_supported: ['header'],
      },
      'public, max-age=300',
    ]);
    expect((await app.request(`${path}?x=1`)).status).toBe(200);
    for (const elsewhere of [METADATA, `${METADATA}/mcp`, `${path}/other`]) {
      expect((await app.request(elsewhere)).status).toBe(404);
    }
  });

  it('is named by refusals without a valid token', async () => {
    const url = `https://api.example.com${path}`;
    const challenge = async (token?: string) =>
      (await app.request('/api/v1/notes', { token })).headers['www-authenticate'];
    expect(await challenge()).toBe(`Bearer realm="kit-auth", resource_metadata="${url}"`);
    expect(await challenge('x')).toBe(
      `Bearer realm="kit-auth", error="invalid_token", resource_metadata="${url}"`,
    );
  });
});

describe('the metadata of a resource', () => {
  it('does not exist without the option', async () => {
    const app = await new IssuersApp({ issuers: { issuers: [options] } }).start();
    expect((await app.request(METADATA)).status).toBe(404);
    expect((await app.request('/v1/notes')).headers['www-authenticate']).toBe('Bearer realm="kit-auth"');
  });
});
