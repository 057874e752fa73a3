import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { PASSWORD, type Platform, testApp, type TrustProxy } from 'test-support';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../docs/guides/production.md'), 'utf8');
/** The settings in the section about proxies. */
const SHOWN: [Platform, string][] = [
  ...[...GUIDE.matchAll(/app\.set\('trust proxy', (.+?)\);/g)].map(([, value]) => ['express', value]),
  ...[...GUIDE.matchAll(/(?:`|\{ )trustProxy: (.+?)(?:`| \}\))/g)].map(([, value]) => ['fastify', value]),
] as [Platform, string][];
const CLIENT = '203.0.113.9';

describe('an application behind a proxy', () => {
  it.each(SHOWN)('on %s knows the address of clients with %s', async (platform, value) => {
    const trustProxy = runInNewContext(value) as TrustProxy;
    const app = await testApp({ platform, trustProxy, provider: 'session' });
    const user = await app.user();
    // The test is the proxy, and what stands before its address is made up by the client.
    const { json } = await app.login(user.username, PASSWORD, `X-Forwarded-For: 192.0.2.1, ${CLIENT}`);
    const sessions = await app.call((json as { token: string }).token, 'GET', 'sessions');
    expect(sessions.json).toEqual([expect.objectContaining({ address: CLIENT })]);
  });

  it('finds the settings of the guide', () => {
    expect(SHOWN).toEqual([
      ['express', '1'],
      ['fastify', "'loopback'"],
      ['fastify', '(address, hop) => hop < 1'],
    ]);
  });
});
