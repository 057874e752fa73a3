import { describe, expect, it } from '@jest/globals';
import { AUTH_PROVIDER, type AuthProvider } from 'kit-auth';
import { describeAuthProvider } from 'kit-auth-testing';
import { loginUser, sharedTestApp } from 'test-support';
import { KitAuthMemoryModule } from './memory.module.js';

describe('an implementation of an application', () => {
  const app = sharedTestApp({ provider: KitAuthMemoryModule });

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
