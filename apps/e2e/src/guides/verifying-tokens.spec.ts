import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { KitAuthOptions } from 'kit-auth';
import { BOTH, freezeDate, sharedTestApp, type TestApp } from 'test-support';
import { tokenVerifier } from './verify-token.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

function optionsWith(audience: string[], issuer = 'https://app.example.com', key: KeyObject = privateKey) {
  return {
    jwt: { keys: [{ kid: '2026-11', alg: 'EdDSA', key }], issuer, audience },
  } satisfies KitAuthOptions;
}

const verifierOf = (app: TestApp) => tokenVerifier(`http://127.0.0.1:${app.port}/v1/api/auth/jwks`);

describe.each(BOTH)('a service that verifies tokens of an application on %s', (platform) => {
  const app = sharedTestApp({ platform, options: optionsWith(['app', 'billing']) });
  let verify: ReturnType<typeof tokenVerifier>;
  beforeAll(async () => {
    verify = verifierOf(app);
    await app.role({ code: 'clerk', permissions: ['invoice:read'] });
  });
  afterEach(() => void jest.useRealTimers());

  it('knows the user of a login, who may also call the application', async () => {
    const user = await app.user({ roles: ['clerk'] });
    const token = await app.tokenOf(user);
    expect(await app.codeOf(token)).toBe(200);
    expect(await verify(token)).toMatchObject({
      sub: String(user.id),
      roles: ['clerk'],
      permissions: ['invoice:read'],
    });
  });

  it('refuses a token that is changed, and one that has expired', async () => {
    const token = await app.issueToken();
    const changed = token.replace(/.(?=.{20}$)/, (character) => (character === 'A' ? 'B' : 'A'));
    await expect(verify(changed)).rejects.toMatchObject({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
    freezeDate(Date.now() + 12 * 60 * 60 * 1000);
    await expect(verify(token)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('refuses the public key as a secret', async () => {
    const [, payload] = (await app.issueToken()).split('.');
    const header = Buffer.from('{"alg":"HS256","typ":"JWT","kid":"2026-11"}').toString('base64url');
    const secret = publicKey.export({ format: 'pem', type: 'spki' });
    const signature = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
    const token = `${header}.${payload}.${signature}`;
    await expect(verify(token)).rejects.toMatchObject({ code: 'ERR_JOSE_ALG_NOT_ALLOWED' });
    expect(await app.stateOf(token)).toBe('40101 malformed');
  });

  it('refuses users who have to choose another password', async () => {
    const token = await app.tokenOf(await app.user({ mustChangePassword: true }));
    await expect(verify(token)).rejects.toThrow('another password');
  });
});

describe('a service that verifies tokens', () => {
  const app = sharedTestApp({ options: optionsWith(['app', 'billing']) });
  const others = {
    audience: sharedTestApp({ options: optionsWith(['app', 'mails']) }),
    issuer: sharedTestApp({ options: optionsWith(['app', 'billing'], 'https://other.example.com') }),
    key: sharedTestApp({
      options: optionsWith(['app', 'billing'], undefined, generateKeyPairSync('ed25519').privateKey),
    }),
  };

  it.each([
    ['audience', 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['issuer', 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['key', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
  ] as const)('refuses tokens for another %s', async (what, code) => {
    const token = await others[what].issueToken();
    await expect(verifierOf(app)(token)).rejects.toMatchObject({ code });
  });
});
