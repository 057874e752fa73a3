import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { AUTH_FACTOR, type Factor } from 'kit-auth';
import { sharedTestApp } from 'test-support';
import { EmailApp } from './app.js';

describe('a change of the address that began with the password alone', () => {
  const owned: string[] = [];
  const pager: Factor = { names: ['pager'], confirms: ['pager'], second: 'elsewhere', has: () => owned };
  const app = sharedTestApp(
    new EmailApp({ provider: 'session' }, { providers: [{ provide: AUTH_FACTOR, useValue: pager }] }),
  );
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('does not end after the user has set up a second factor', async () => {
    owned.length = 0;
    const user = await app.addressed();
    const token = await app.changeToken(await app.tokenOf(user), 'thief@example.com');
    owned.push('pager');
    expect(await app.outcomeOf(app.confirm(token))).toBe(40010);
    expect((await app.addresses.find(user.id))?.address).toBe(user.address);
    owned.length = 0;
    expect(await app.outcomeOf(app.confirm(token))).toBe(204);
  });
});
