import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KitAuthOptions } from 'kit-auth';
import { freezeDate, sharedTestApp } from 'test-support';
import { tokenVerifier } from './verify-token.js';

const { privateKey } = generateKeyPairSync('ed25519');

function optionsWith(audience: string[], issuer = 'https://app.example.com') {
  return {
    jwt: { keys: [{ kid: '2026-11', alg: 'EdDSA', key: privateKey }], issuer, audience },
  } satisfies KitAuthOptions;
}

describe('a service that verifies tokens of an application', () => {
  const app = sharedTestApp({ options: optionsWith(['app', 'billing']) });
  let verify: ReturnType<typeof tokenVerifier>;
  beforeAll(async () => {
    verify = tokenVerifier(`http://127.0.0.1:${app.port}/v1/api/auth/jwks`);
    await app.role({ code: 'clerk', permissions: ['invoice:read'] });
  });

  it('knows the user of a login, who may also call the application', async () => {
    const user = await app.user({ roles: ['clerk'] });
    const token = await app.tokenOf(user);
    expect(await app.codeOf(token)).toBe(200);
    const rights = { roles: ['clerk'], permissions: ['invoice:read'] };
    expect(await verify(token)).toMatchObject({ sub: String(user.id), ...rights });
  });

  it('refuses a token that is changed, and one that has expired', async () => {
    const token = await app.issueToken();
    const changed = token.replace(/.(?=.{20}$)/, (character) => (character === 'A' ? 'B' : 'A'));
    await expect(verify(changed)).rejects.toMatchObject({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
    freezeDate(Date.now() + 12 * 60 * 60 * 1000);
    await expect(verify(token)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('refuses users who have to choose another password', async () => {
    const token = await app.tokenOf(await app.user({ mustChangePassword: true }));
    await expect(verify(token)).rejects.toThrow('another password');
  });

  const others = {
    audience: sharedTestApp({ options: optionsWith(['app', 'mails']) }),
    issuer: sharedTestApp({ options: optionsWith(['app', 'billing'], 'https://other.example.com') }),
  };

  it.each([
    ['audience', 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['issuer', 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ] as const)('refuses tokens for another %s', async (what, code) => {
    const token = await others[what].issueToken();
    await expect(verify(token)).rejects.toMatchObject({ code });
  });
});
