import { IllegalStateException } from 'kit-auth';
import type { OAuth2Profile, OidcProvider, ProviderFetch } from './provider.options.js';

type Preset = Pick<OidcProvider, 'clientId'> & Partial<Omit<OidcProvider, 'issuer' | 'oauth2'>>;

const TENANT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Log in with Google.
 *
 * Google verifies addresses and sends `email_verified`. It does not support re-authentication.
 *
 * @example
 * google({ clientId: process.env.GOOGLE_CLIENT_ID, clientSecret: process.env.GOOGLE_CLIENT_SECRET });
 */
export function google(options: Preset): OidcProvider {
  return { name: 'google', title: 'Google', fresh: false, ...options, issuer: 'https://accounts.google.com' };
}

/**
 * Log in with Microsoft (Entra ID), for the users of one tenant.
 *
 * Administrators of the tenant set the addresses of users, so an address never counts as verified, and an unknown identity
 * cannot sign up. Users link their identity first. If all administrators of the tenant are yours, set
 * `emailVerified: 'always'`.
 *
 * @param options `tenant` is the directory (tenant) id, a uuid
 * @throws IllegalStateException for `common`, `organizations`, `consumers` and domains
 * @example
 * microsoft({ tenant: process.env.TENANT_ID, clientId: process.env.CLIENT_ID, clientSecret: process.env.CLIENT_SECRET });
 */
export function microsoft({ tenant, ...options }: Preset & { readonly tenant: string }): OidcProvider {
  if (typeof tenant !== 'string' || !TENANT.test(tenant)) {
    throw new IllegalStateException(
      "microsoft({ tenant }) must be the directory (tenant) id, a uuid: 'common', 'organizations' and 'consumers' have " +
        'another issuer for each tenant, so anybody could create users in a tenant of their own.',
    );
  }
  return {
    name: 'microsoft',
    title: 'Microsoft',
    subject: 'oid',
    emailVerified: 'never',
    ...options,
    issuer: `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`,
  };
}

/**
 * Log in with GitHub.
 *
 * The subject is the number of the user, because GitHub gives the name of a deleted user to others. The address is the primary
 * one. GitHub says whether it is verified.
 *
 * @example
 * github({ clientId: process.env.GITHUB_CLIENT_ID, clientSecret: process.env.GITHUB_CLIENT_SECRET });
 */
export function github(options: Preset): OidcProvider {
  return {
    name: 'github',
    title: 'GitHub',
    scopes: 'read:user user:email',
    ...options,
    // GitHub sends this `iss`.
    issuer: 'https://github.com/login/oauth',
    oauth2: {
      authorization: 'https://github.com/login/oauth/authorize',
      token: 'https://github.com/login/oauth/access_token',
      profile: githubProfile,
    },
  };
}

async function githubProfile(accessToken: string, fetch: ProviderFetch): Promise<OAuth2Profile> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/vnd.github+json' };
  const [user, addresses] = await Promise.all(
    ['https://api.github.com/user', 'https://api.github.com/user/emails'].map(async (url) => {
      const response = await fetch(url, { headers });
      if (!response.ok) {
        throw new Error(`GitHub answered with ${response.status}`);
      }
      return await response.json();
    }),
  );
  const { id, name, login } = user as Record<string, unknown>;
  if (!Number.isSafeInteger(id)) {
    throw new Error('GitHub did not say who the user is');
  }
  const all = Array.isArray(addresses) ? (addresses as Record<string, unknown>[]) : [];
  const primary = all.find((entry) => entry['primary'] === true);
  return {
    subject: String(id),
    address: textOf(primary?.['email']),
    verified: primary?.['verified'] === true,
    name: textOf(name) ?? textOf(login),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
