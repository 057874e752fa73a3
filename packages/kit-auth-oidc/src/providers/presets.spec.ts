import { describe, expect, it } from '@jest/globals';
import { github, google, microsoft } from './presets.js';
import { providersProblem } from './provider.problems.js';

const SECRET = 'a-secret-4711';
const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

describe('the presets', () => {
  it('hide their traps', () => {
    const client = { clientId: 'app', clientSecret: SECRET };
    const providers = [
      google(client),
      microsoft({ ...client, tenant: TENANT.toUpperCase() }),
      github(client),
    ];
    expect(providersProblem(providers)).toBeUndefined();
    expect(providers.map(({ issuer }) => issuer)).toEqual([
      'https://accounts.google.com',
      `https://login.microsoftonline.com/${TENANT}/v2.0`,
      'https://github.com/login/oauth',
    ]);
    expect(providers[1]).toMatchObject({ subject: 'oid', emailVerified: 'never' });
  });

  it.each(['common', 'organizations', 'consumers', 'example.onmicrosoft.com', ''])(
    'refuse the tenant %j',
    (tenant) => {
      expect(() => microsoft({ tenant, clientId: 'app' })).toThrow(
        /must be the directory \(tenant\) id, a uuid/,
      );
    },
  );

  it('know users of GitHub by their number, and only the primary address', async () => {
    const answers: Record<string, unknown> = {
      'https://api.github.com/user': { id: 4711, login: 'ada', name: null },
      'https://api.github.com/user/emails': [
        { email: 'other@example.com', primary: false, verified: true },
        { email: 'ada@example.com', primary: true, verified: false },
      ],
    };
    const fetched: unknown[] = [];
    const profile = await github({ clientId: 'app' }).oauth2?.profile('token', async (url, init) => {
      fetched.push(new Headers(init?.headers).get('authorization'));
      return Response.json(answers[url]);
    });
    expect(profile).toEqual({ subject: '4711', address: 'ada@example.com', verified: false, name: 'ada' });
    expect(fetched).toEqual(['Bearer token', 'Bearer token']);
  });

  it.each<[string, () => Response, string]>([
    ['fails', () => Response.json({}, { status: 403 }), 'GitHub answered with 403'],
    ['says not who the user is', () => Response.json({ id: '4711' }), 'GitHub did not say who the user is'],
  ])('believe GitHub nothing when it %s', async (_what, answer, message) => {
    const profile = github({ clientId: 'app' }).oauth2!.profile('token', async () => answer());
    await expect(profile).rejects.toThrow(message);
  });
});
