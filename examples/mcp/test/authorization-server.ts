import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FakeIssuer } from 'kit-auth-issuers/testing';

export const CLIENT = { clientId: 'assistant', clientSecret: 'the secret of the assistant' };

/** An authorization server on a local port, with one client, which gets tokens for itself (client credentials). */
export class AuthorizationServer {
  private readonly server = createServer((request, response) => {
    void this.answer(request).then((body) => {
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? {}));
    });
  });
  private fake: FakeIssuer;
  /** Where requests went, in order. */
  readonly paths: (string | undefined)[] = [];

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.fake = new FakeIssuer({ issuer: this.issuer, audience: 'nobody' });
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: IncomingMessage): Promise<object | undefined> {
    const { issuer } = this;
    this.paths.push(request.url);
    switch (request.url) {
      case '/.well-known/oauth-authorization-server':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
        };
      case '/jwks':
        return this.fake.jwks;
      case '/token': {
        // The audience is the resource that the client asks for (RFC 8707).
        const { scope, resource: aud } = Object.fromEntries(new URLSearchParams(await text(request)));
        const access_token = this.fake.token({ sub: CLIENT.clientId, aud, scope });
        return { access_token, token_type: 'Bearer', expires_in: 300, scope };
      }
      default:
        return undefined;
    }
  }
}
