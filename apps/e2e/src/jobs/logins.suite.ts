import { describe, expect, it } from '@jest/globals';
import type { KitAuthJobsOptions } from 'kit-auth-jobs';
import { PASSWORD, sharedTestApp, type TestAppOptions } from 'test-support';
import { JOBS, JobsApp } from './app.js';

const NEEDY: KitAuthJobsOptions = {
  ...JOBS,
  audiences: { reports: { hours: 24, needsLogin: true }, billing: { days: 30 } },
};

/** Jobs that end with the login of their user. */
export function describeJobsWithLogins(name: string, options: () => TestAppOptions): void {
  describe(`jobs that need the login, with ${name}`, () => {
    const app = sharedTestApp(new JobsApp({ ...options(), jobs: NEEDY }));
    const login = async () => {
      const { username } = await app.user();
      return { username, token: await app.tokenOf(username) };
    };

    it('run while it is live, also after it was confirmed', async () => {
      const { username, token } = await login();
      const sent = await app.carry(token);
      expect(await app.resume(sent)).toMatchObject({ username });
      await app.call(token, 'POST', 'fresh', { password: PASSWORD });
      expect(await app.resume(sent)).toMatchObject({ username });
    });

    it('do not run after a logout, and others of the user do', async () => {
      const { username, token } = await login();
      const other = await app.carry(await app.tokenOf(username));
      const sent = await app.carry(token);
      const billing = await app.carry(token, {}, 'billing');
      await app.call(token, 'POST', 'logout');
      expect(await app.resume(sent)).toBe('40101 logged-out');
      expect(await app.resume(other)).toMatchObject({ username });
      expect(await app.resume(billing, 'billing')).toMatchObject({ username });
    });

    it('can be carried on, with the login', async () => {
      const { token } = await login();
      const billing = await app.carry(token, {}, 'billing');
      const sent = await app.carrier.resume(
        'billing',
        billing,
        () => app.carrier.data('reports', {}, { for: 'report' }),
        undefined,
        { for: 'report' },
      );
      expect(await app.resume(sent)).toMatchObject({ scheme: 'carried' });
      await app.call(token, 'POST', 'logout');
      expect(await app.resume(sent)).toBe('40101 logged-out');
    });
  });
}
