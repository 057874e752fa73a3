import { describe, expect, it } from '@jest/globals';
import { KitAuthModule } from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { BOTH, PlainUsersModule, sharedTestApp } from 'test-support';
import { ORIGIN, PasskeysApp } from './app.js';

const OTHER = 'https://example.org';
const PASSKEYS = { origins: [ORIGIN, OTHER], related: true };

describe.each(BOTH)('related origins on %s', (platform) => {
  const app = sharedTestApp(
    new PasskeysApp({ platform, passkeys: PASSKEYS, configure: (nest) => nest.setGlobalPrefix('api') }),
  );

  it('are listed for browsers, whatever the global prefix is', async () => {
    const { status, headers, json } = await app.request('/.well-known/webauthn');
    expect([status, headers['content-type'], json]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
      { origins: [OTHER] },
    ]);
    expect((await app.request('/api/.well-known/webauthn')).status).toBe(404);
  });
});

describe('related origins', () => {
  it('are not served by default, nor while kit.auth.enabled is false', async () => {
    const app = await new PasskeysApp().start();
    expect((await app.request('/.well-known/webauthn')).status).toBe(404);
    const core = KitAuthModule.forRoot({ enabled: false, users: PlainUsersModule });
    const off = await new PasskeysApp({ passkeys: PASSKEYS, core, database: false, admin: false }).start();
    expect((await off.request('/.well-known/webauthn')).status).toBe(404);
  });
});

describe('an application with passkeys', () => {
  const factors = KitAuthFactorsModule.forRoot({ keys: ['k'.repeat(32)], issuer: 'Example' });

  it.each([
    { how: 'without recovery codes', before: [], lines: 1 },
    { how: 'with those of kit-auth-factors', before: [factors], lines: 0 },
  ])('$how warns $lines times of users who lose every passkey', async ({ before, lines }) => {
    const app = await new PasskeysApp({ before }).start();
    const warning = '[passkeys] a user who loses every passkey needs an administrator';
    expect(app.logs.lines.filter(({ text }) => text.includes(warning))).toHaveLength(lines);
  });
});
