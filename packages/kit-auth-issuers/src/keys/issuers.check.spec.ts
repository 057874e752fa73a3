import { describe, expect, it } from '@jest/globals';
import type { Issuer } from '../issuer.js';
import { issuersOptions } from '../issuers.options.js';
import { FakeIssuer } from '../testing.js';
import { HttpConnections } from './http.connections.js';
import type { IssuerConnections } from './issuer.connections.js';
import { IssuersCheck } from './issuers.check.js';

const ISSUER: Issuer = { issuer: 'https://login.example.com', audience: 'notes', user: 'linked' };

function findingsOf(connections: IssuerConnections, ...issuers: Issuer[]) {
  return new IssuersCheck(issuersOptions.resolve({ issuers }), connections).run();
}

describe('the check of issuers', () => {
  const fake = new FakeIssuer({ issuer: ISSUER.issuer, audience: 'notes' });

  it('finds nothing where each issuer has keys', async () => {
    expect(await findingsOf(fake, ISSUER, { ...ISSUER, issuer: 'https://other.example.com' })).toEqual([]);
  });

  it('finds an issuer without keys for its algorithms', async () => {
    const [finding, ...others] = await findingsOf(fake, { ...ISSUER, algorithms: ['RS256'] });
    expect([finding, others]).toMatchObject([
      {
        level: 'problem',
        problem:
          'There are no keys of the issuer https://login.example.com of kit.auth.issuers.issuers: Error: none of its keys verifies RS256.',
      },
      [],
    ]);
  });

  it('finds an issuer that does not answer, and goes on', async () => {
    // No server listens on this port.
    const away = { ...ISSUER, issuer: 'http://127.0.0.1:2' };
    const set = { ...ISSUER, issuer: 'https://other.example.com', jwks: fake.jwks };
    const [finding, ...others] = await findingsOf(new HttpConnections(), away, set);
    expect(finding?.problem).toContain('http://127.0.0.1:2 of kit.auth.issuers.issuers: ');
    expect(finding?.problem).not.toContain('fetch failed');
    expect(others).toEqual([]);
  });
});
