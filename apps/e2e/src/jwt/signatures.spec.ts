import { expect, it } from '@jest/globals';
import {
  calculateJwkThumbprint,
  compactVerify,
  CompactSign,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';
import { keyFrom, publicJwkOf, readCompact, signWith, thumbprintOf, VerificationKey } from 'kit-auth/tools';

const CLAIMS = '{"iss":"https://login.example.com","sub":"7"}';
const ALGORITHMS = 'EdDSA Ed25519 ES256 ES384 ES512 RS256 RS384 RS512 PS256 PS384 PS512'.split(' ');

it.each(ALGORITHMS as Parameters<typeof signWith>[0][])(
  'tokens with %s of jose are verified, jose verifies ours, and both name the key alike',
  async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const key = keyFrom(await exportJWK(privateKey));
    const jwk = publicJwkOf(key);
    const header = { alg, kid: 'x' };

    const signed = await new CompactSign(Buffer.from(CLAIMS)).setProtectedHeader(header).sign(key);
    const read = readCompact(signed);
    expect(read).toMatchObject({ header, payload: JSON.parse(CLAIMS) });
    expect(new VerificationKey(alg, keyFrom(jwk)).verify(`${read?.input}`, `${read?.signature}`)).toBe(true);

    const input = [JSON.stringify(header), CLAIMS]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    const token = `${input}.${signWith(alg, key, input).toString('base64url')}`;
    const { payload } = await compactVerify(token, await importJWK({ ...jwk, alg }), { algorithms: [alg] });
    expect(Buffer.from(payload).toString()).toBe(CLAIMS);
    expect(thumbprintOf(key)).toBe(await calculateJwkThumbprint(jwk));
  },
);
