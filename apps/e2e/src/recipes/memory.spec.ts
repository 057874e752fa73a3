import { describe, expect, it } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider, IllegalStateException } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { describeAuthProvider } from 'kit-auth-testing';
import { BOTH, loginUser, sharedTestApp, testApp } from 'test-support';
import { KitAuthMemoryModule } from './memory.module.js';

describe.each(BOTH)('an implementation of an application on %s', (platform) => {
  const app = sharedTestApp({ platform, provider: KitAuthMemoryModule });

  describeAuthProvider('memory', { canInvalidate: true, keepsProof: true }, () => ({
    provider: app.get<AuthProvider>(AUTH_PROVIDER),
    user: loginUser(),
  }));

  it('logs users in and out', async () => {
    const token = await app.adminToken();
    expect(await app.stateOf(token)).toBe('live');
    expect((await app.call(token, 'POST', 'logout')).status).toBe(204);
    expect(await app.stateOf(token)).toBe('40101 logged-out');
  });
});

describe('an implementation of an application', () => {
  it('besides another fails start-up, naming both', async () => {
    const start = testApp({ provider: KitAuthMemoryModule, imports: [KitAuthJwtModule] });
    await expect(start).rejects.toThrow(IllegalStateException);
    await expect(start).rejects.toThrow(/(?=.*memory \(of KitAuthMemoryModule\))(?=.*jwt-stateless)/);
  });
});
