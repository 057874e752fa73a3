import { type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  calculateJwkThumbprint,
  compactVerify,
  CompactSign,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';
import {
  keyFrom,
  keyProblem,
  publicJwkOf,
  readCompact,
  type SignatureAlgorithm,
  signWith,
  thumbprintOf,
  VerificationKey,
} from 'kit-auth/jws';

const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
] as const satisfies readonly SignatureAlgorithm[];

const CLAIMS = '{"iss":"https://login.example.com","sub":"7"}';

describe.each(ALGORITHMS)('tokens with %s', (alg) => {
  let key: KeyObject;
  beforeAll(async () => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    key = keyFrom(await exportJWK(privateKey));
  });

  it('of jose are verified', async () => {
    const signed = await new CompactSign(Buffer.from(CLAIMS)).setProtectedHeader({ alg, kid: 'x' }).sign(key);
    const { header, payload, input, signature } = readCompact(signed) ?? {};
    expect([header, payload]).toEqual([{ alg, kid: 'x' }, JSON.parse(CLAIMS)]);
    const verifier = new VerificationKey(alg, keyFrom(publicJwkOf(key)));
    expect([keyProblem(alg, key), verifier.verify(String(input), String(signature))]).toEqual([
      undefined,
      true,
    ]);
    expect(signature).toHaveLength(verifier.signatureLength);
  });

  it('are verified by jose, with the published key', async () => {
    const input = [JSON.stringify({ alg, kid: 'x' }), CLAIMS]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    const token = `${input}.${signWith(alg, key, input).toString('base64url')}`;
    const published = await importJWK({ ...publicJwkOf(key), alg });
    const { payload, protectedHeader } = await compactVerify(token, published, { algorithms: [alg] });
    expect([Buffer.from(payload).toString(), protectedHeader]).toEqual([CLAIMS, { alg, kid: 'x' }]);
    await expect(compactVerify(`${token.slice(0, -4)}AAAA`, published)).rejects.toThrow();
  });

  it('have keys with the thumbprint of jose', async () => {
    expect(thumbprintOf(key)).toBe(await calculateJwkThumbprint(publicJwkOf(key)));
  });
});
