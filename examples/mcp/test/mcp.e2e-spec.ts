import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AppModule } from '../src/app.module.js';
import { AuthorizationServer, CLIENT } from './authorization-server.js';

describe('an MCP server', () => {
  let authorization: AuthorizationServer;
  let app: INestApplication;
  let url: URL;

  beforeAll(async () => {
    authorization = await new AuthorizationServer().start();
    const port = await freePort();
    url = new URL(`http://127.0.0.1:${port}/mcp`);
    process.env.ISSUER = authorization.issuer;
    process.env.RESOURCE = url.href;
    app = await NestFactory.create(AppModule, { logger: ['error', 'warn'], forceCloseConnections: true });
    await app.listen(port, '127.0.0.1');
  });

  afterAll(async () => {
    await app.close();
    await authorization.stop();
  });

  /** A client of the SDK, which gets its token from the authorization server that the MCP server names. */
  async function connected(scope: string): Promise<Client> {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    const authProvider = new ClientCredentialsProvider({
      ...CLIENT,
      scope,
      expectedIssuer: authorization.issuer,
    });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
    return client;
  }

  const call = async (client: Client, name: string) => {
    const { content, isError } = await client.callTool({ name });
    return { isError, value: JSON.parse((content as [{ text: string }])[0].text) };
  };

  it('tells clients without a token where to get one', async () => {
    const refused = await fetch(url, { method: 'POST' });
    const metadata = `http://127.0.0.1:${url.port}/.well-known/oauth-protected-resource/mcp`;
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="kit-auth", resource_metadata="${metadata}"`,
    ]);
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: url.href,
      authorization_servers: [authorization.issuer],
      scopes_supported: ['notes.read'],
      bearer_methods_supported: ['header'],
    });
  });

  it('refuses clients without a token, and wrong tokens', async () => {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    await expect(client.connect(new StreamableHTTPClientTransport(url))).rejects.toMatchObject({ code: 401 });
    const requestInit = { headers: { Authorization: 'Bearer wrong' } };
    await expect(
      client.connect(new StreamableHTTPClientTransport(url, { requestInit })),
    ).rejects.toMatchObject({
      code: 401,
    });
  });

  it('knows the user of a client that has found the authorization server', async () => {
    const client = await connected('notes.read');
    expect(authorization.paths).toEqual(
      expect.arrayContaining(['/.well-known/oauth-authorization-server', '/token', '/jwks']),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['whoami', 'list-notes']);
    expect((await call(client, 'whoami')).value).toEqual({
      userId: expect.stringMatching(/^ext_[a-z2-7]{26}$/),
      username: 'assistant',
      permissions: ['note:read'],
    });
    expect(await call(client, 'list-notes')).toEqual({ isError: undefined, value: ['Milk', 'Bread'] });
    await client.close();
  });

  it('grants what the scopes of the token allow', async () => {
    const client = await connected('profile');
    expect((await call(client, 'whoami')).value).toMatchObject({ permissions: [] });
    expect(await call(client, 'list-notes')).toMatchObject({ isError: true });
    await client.close();
  });

  it('refuses tokens for other servers', async () => {
    const body = new URLSearchParams({ scope: 'notes.read', resource: 'https://other.example.com/mcp' });
    const answer = await fetch(`${authorization.issuer}/token`, { method: 'POST', body });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const refused = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: 40101 }]);
  });

  it('has no sessions to open or to end', async () => {
    const body = new URLSearchParams({ resource: url.href });
    const answer = await fetch(`${authorization.issuer}/token`, { method: 'POST', body });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(url, { method, headers: { authorization: `Bearer ${token}` } })).status).toBe(405);
    }
  });
});

/** The URL of the server must be known before it starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
