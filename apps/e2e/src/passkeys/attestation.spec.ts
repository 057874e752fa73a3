import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hash, webcrypto } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as x509 from '@peculiar/x509';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { ORIGIN, outcomeOf, PasskeysApp } from './app.js';

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';

describe('an attestation', () => {
  let app: PasskeysApp;
  let server: Server;
  let asked = 0;
  beforeAll(async () => {
    app = await new PasskeysApp({ provider: 'session' }).start();
    server = createServer((_, response) => {
      asked++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
  });

  it('does not make the server fetch what its certificates name', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const { ceremony, options } = await app.creation(token);
    const passkey = fakePasskey({ origin: ORIGIN });
    const { response } = passkey.create(options);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal`;
    const statement = await androidKey(response.attestationObject, response.clientDataJSON, url);
    const body = {
      ceremony,
      response: passkey.create(options, { attestation: { format: 'android-key', statement } }),
    };
    expect(outcomeOf(await app.call(token, 'POST', 'passkeys', body))).toBe('40113');
    expect(asked).toBe(0);
  });
});

/** A statement whose chain ends in a root certificate of the attacker. */
async function androidKey(attestationObject: string, clientDataJSON: string, url: string): Promise<Buffer> {
  x509.cryptoProvider.set(webcrypto as never);
  const hex = Buffer.from(attestationObject, 'base64url').toString('hex');
  const [, x, y] = /a5010203262001215820([0-9a-f]{64})225820([0-9a-f]{64})/.exec(hex) as unknown as string[];
  const of = (text: string | undefined) => Buffer.from(text ?? '', 'hex').toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: of(x), y: of(y) };
  const publicKey = await webcrypto.subtle.importKey('jwk', jwk, ES256, true, ['verify']);
  const keys = await webcrypto.subtle.generateKey(ES256, true, ['sign', 'verify']);
  const dates = { notBefore: new Date(Date.now() - 1e9), notAfter: new Date(Date.now() + 1e9) };
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=root',
    keys: keys as never,
    signingAlgorithm: ES256,
    ...dates,
  });
  const challenge = hash('sha256', Buffer.from(clientDataJSON, 'base64url'), 'buffer');
  const description = Buffer.concat([
    Buffer.from('30340201030a01010201030a01010420', 'hex'),
    challenge,
    Buffer.from('040030003000', 'hex'),
  ]);
  const leaf = await x509.X509CertificateGenerator.create({
    subject: 'CN=leaf',
    issuer: 'CN=root',
    publicKey: publicKey as never,
    signingKey: keys.privateKey as never,
    signingAlgorithm: ES256,
    extensions: [
      new x509.Extension(KEY_DESCRIPTION, false, new Uint8Array(description).buffer),
      new x509.CRLDistributionPointsExtension([url]),
    ],
    ...dates,
  });
  const item = (data: ArrayBuffer | Uint8Array) => {
    const content = Buffer.from(data as ArrayBuffer);
    const head = Buffer.from([0x59, 0, 0]);
    head.writeUInt16BE(content.length, 1);
    return Buffer.concat([head, content]);
  };
  return Buffer.concat([
    Buffer.from('a363616c672663736967', 'hex'), // {"alg": -7, "sig": …
    item(Buffer.alloc(70, 1)),
    Buffer.from('6378356382', 'hex'), // "x5c": [ , ]
    item(leaf.rawData),
    item(root.rawData),
  ]);
}
