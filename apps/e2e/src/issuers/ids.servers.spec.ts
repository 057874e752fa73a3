import { describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { fakeIssuer, IssuersApp } from './app.js';

describe.each(['postgres', 'mariadb'] as const)(
  'a function that makes ids of subjects, in %s',
  (database) => {
    const { fake, options } = fakeIssuer({ user: ({ sub }) => Number(sub) });
    const app = sharedTestApp(new IssuersApp({ database, issuers: { issuers: [options] } }));

    it.each(['ada', '-1', '0', '1.5', '1e400', '2147483648', '9007199254740993', '1e300'])(
      'finds nobody for %s',
      async (sub) => {
        expect(await app.stateOf(fake.token({ sub }))).toBe('40101 unknown-user');
      },
    );
  },
);
