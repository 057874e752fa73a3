import { describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { BOTH } from 'test-support';
import { AUDIENCE, COMPANY, fakeIssuer, IssuersApp } from './app.js';

describe.each(BOTH)('the metadata of a resource on %s', (platform) => {
  const start = (
    resource: string | undefined,
    configure: (nest: INestApplication) => void = () => undefined,
  ) => {
    const { options } = fakeIssuer({ user: () => undefined });
    const other = {
      issuer: 'https://other.example',
      audience: AUDIENCE,
      jwks: options.jwks!,
      user: () => undefined,
    };
    return new IssuersApp({
      platform,
      configure,
      issuers: { issuers: [options, other], ...(resource !== undefined && { resource }) },
    }).start();
  };

  it.each([
    ['https://api.example.com', '/.well-known/oauth-protected-resource'],
    ['https://api.example.com/mcp/notes', '/.well-known/oauth-protected-resource/mcp/notes'],
  ])('is at the root of the host: %s', async (resource, path) => {
    const app = await start(resource, (nest) => nest.setGlobalPrefix('api'));
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
    expect((await app.request(`${path}/other`)).status).toBe(404);
  });

  it('is named by refusals without a valid token', async () => {
    const app = await start('https://api.example.com/mcp');
    const url = 'https://api.example.com/.well-known/oauth-protected-resource/mcp';
    const challenge = async (token?: string) =>
      (await app.request('/v1/notes', { token })).headers['www-authenticate'];
    expect(await challenge()).toBe(`Bearer realm="kit-auth", resource_metadata="${url}"`);
    expect(await challenge('x')).toBe(
      `Bearer realm="kit-auth", error="invalid_token", resource_metadata="${url}"`,
    );
    expect((await app.request('/.well-known/oauth-protected-resource')).status).toBe(404);
  });

  it('does not exist without the option', async () => {
    const app = await start(undefined);
    expect((await app.request('/.well-known/oauth-protected-resource')).status).toBe(404);
    expect((await app.request('/v1/notes')).headers['www-authenticate']).toBe('Bearer realm="kit-auth"');
  });
});
