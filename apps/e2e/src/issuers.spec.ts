import { beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYWHERE, sharedTestApp } from 'test-support';
import { COMPANY, fakeIssuer, IssuersApp } from './issuers-app.js';

describe.each(EVERYWHERE)('tokens of other issuers on $platform with $provider', (where) => {
  const { fake, options } = fakeIssuer({ user: ({ sub }) => (sub === 'ada' ? userId : undefined) });
  const app = sharedTestApp(new IssuersApp({ ...where, issuers: { issuers: [options] } }));
  let userId: never;
  let own: string;
  beforeAll(async () => {
    const role = await app.role({ permissions: ['note:read'] });
    const user = await app.user({ username: 'ada', roles: [role] });
    userId = user.id as never;
    own = await app.tokenOf(user);
  });

  it('are accepted beside own tokens', async () => {
    const token = fake.token({ sub: 'ada' });
    const { status, json } = await app.request('/v1/notes/mine', { token });
    expect([status, json]).toEqual([
      200,
      {
        scheme: `issuer:${COMPANY.slice(8)}`,
        factors: {},
        user: expect.objectContaining({ userId, username: 'ada', permissions: ['note:read'] }),
      },
    ]);
    expect(await app.codeOf(token, '/v1/notes')).toBe(200);
    expect(await app.codeOf(token, '/v1/notes/drafts')).toBe(40300);
    expect(await app.codeOf(own, '/v1/notes')).toBe(200);
  });

  it('are refused for a subject that is nobody here', async () => {
    expect(await app.stateOf(fake.token({ sub: 'eve' }))).toBe('40101 unknown-user');
  });

  it('cannot call our endpoints but me', async () => {
    const token = fake.token({ sub: 'ada' });
    expect(await app.codeOf(token)).toBe(200);
    for (const [method, path] of [
      ['POST', 'logout'],
      ['POST', 'password'],
      ['POST', 'fresh'],
      ['GET', 'sessions'],
      ['GET', 'users'],
    ] as const) {
      const { status, json } = await app.call(token, method, path);
      expect([path, status, json.code, json.message]).toEqual([
        path,
        403,
        40304,
        'This credential is not allowed here',
      ]);
    }
  });
});
