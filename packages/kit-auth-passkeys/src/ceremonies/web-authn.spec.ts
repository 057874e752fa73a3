import { hash, webcrypto } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import * as x509 from '@peculiar/x509';
import { passkeysOptions, RelyingParty } from '../passkeys.options.js';
import { fakePasskey, type FakePasskeyOptions } from '../testing.js';
import { DUMMY_PASSKEY } from './passkey.check.js';
import { WebAuthn } from './web-authn.js';

const ORIGIN = 'https://app.example.com';
const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';
const CHALLENGE = new Uint8Array(32).fill(7);
const TEXT = Buffer.from(CHALLENGE).toString('base64url');
const USER = {
  handle: Buffer.alloc(32, 9).toString('base64url'),
  username: 'ada',
  nickname: 'Ada',
  passkeys: [],
};

const webAuthn = new WebAuthn(
  new RelyingParty(passkeysOptions.resolve({ rpId: 'example.com', rpName: 'Example', origins: [ORIGIN] })),
);

async function registered(options: Partial<FakePasskeyOptions> = {}) {
  const passkey = fakePasskey({ origin: ORIGIN, ...options });
  const response = passkey.create(await webAuthn.creationOptions(CHALLENGE, USER));
  const stored = await webAuthn.registered(response, TEXT);
  return { passkey, stored: stored! };
}

describe('the options of a registration', () => {
  it('ask for a discoverable passkey with user verification, and no attestation', async () => {
    const passkeys = [{ credentialId: 'AAAA', transports: 'internal,usb' }];
    expect(await webAuthn.creationOptions(CHALLENGE, { ...USER, passkeys })).toMatchObject({
      rp: { id: 'example.com', name: 'Example' },
      user: { id: USER.handle, name: 'ada', displayName: 'Ada' },
      challenge: TEXT,
      attestation: 'none',
      timeout: 300_000,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      excludeCredentials: [{ id: 'AAAA', type: 'public-key', transports: ['internal', 'usb'] }],
    });
  });
});

describe.each(['ES256', 'EdDSA', 'RS256'] as const)('a passkey with %s', (algorithm) => {
  it('is registered, and signs', async () => {
    const { passkey, stored } = await registered({ algorithm });
    expect(stored).toMatchObject({
      credentialId: passkey.id,
      algorithm: { ES256: -7, EdDSA: -8, RS256: -257 }[algorithm],
      deviceType: 'multi',
      backedUp: true,
      counter: 0,
      transports: 'internal',
    });
    expect(await webAuthn.asserted(passkey.get({ challenge: TEXT }), TEXT, stored)).toEqual({
      counter: 0,
      deviceType: 'multi',
      backedUp: true,
    });
  });
});

describe('an assertion', () => {
  const replaced = (from: string | RegExp, to: string) => (json: string) => json.replace(from, to);

  it.each<[string, Parameters<ReturnType<typeof fakePasskey>['get']>[1]]>([
    ['of another origin', { origin: 'https://example.com' }],
    ['with a trailing dot', { origin: `${ORIGIN}.` }],
    ['for a parent domain', { rpId: 'com' }],
    ['without user presence', { flags: { up: false } }],
    ['without user verification', { flags: { uv: false } }],
    ['that is backed up, and cannot be', { flags: { be: false, bs: true } }],
    ['of a registration', { clientData: replaced('webauthn.get', 'webauthn.create') }],
    ['with another challenge', { clientData: replaced(TEXT, 'A'.repeat(43)) }],
    ['of a frame', { clientData: replaced('"crossOrigin":false', '"crossOrigin":true') }],
    ['with a top', { clientData: replaced('}', `,"topOrigin":"${ORIGIN}"}`) }],
    ['with a crossOrigin that is text', { clientData: replaced('false', '"false"') }],
    ['with a token binding', { clientData: replaced('}', ',"tokenBinding":{"status":"supported"}}') }],
    ['with a key twice', { clientData: replaced('{', '{"origin":"https://evil.example",') }],
    ['with a key twice, escaped', { clientData: replaced('{', '{"\\u006frigin":"https://evil.example",') }],
    ['with a byte order mark', { clientData: (json) => `\ufeff${json}` }],
  ])('%s is refused', async (_what, as) => {
    const { passkey, stored } = await registered();
    expect(await webAuthn.asserted(passkey.get({ challenge: TEXT }, as), TEXT, stored)).toBeUndefined();
    expect(await webAuthn.asserted(passkey.get({ challenge: TEXT }), TEXT, stored)).toBeDefined();
  });

  it('may have members that later browsers add, also with equal keys below', async () => {
    const { passkey, stored } = await registered();
    const clientData = (json: string) =>
      json.replace('}', ',"other":{"origin":"a:b","x":[{"origin":"{"}]},"text":"a \\"type\\": b"}');
    const response = passkey.get({ challenge: TEXT }, { clientData });
    expect(await webAuthn.asserted(response, TEXT, stored)).toBeDefined();
  });

  it('with another signature is refused', async () => {
    const { passkey, stored } = await registered();
    const other = fakePasskey({ origin: ORIGIN });
    other.create(await webAuthn.creationOptions(CHALLENGE, USER));
    const response = passkey.get({ challenge: TEXT });
    for (const signature of [other.get({ challenge: TEXT }).response.signature, 'AAAA']) {
      const wrong = { ...response, response: { ...response.response, signature } };
      expect(await webAuthn.asserted(wrong, TEXT, stored)).toBeUndefined();
    }
    expect(await webAuthn.asserted(response, TEXT, DUMMY_PASSKEY)).toBeUndefined();
  });
});

describe('the dummy passkey', () => {
  it('has a key that the library verifies with, so that a refusal takes as long', async () => {
    const { verifySignature } = await import('@simplewebauthn/server/helpers');
    const credentialPublicKey = new Uint8Array(Buffer.from(DUMMY_PASSKEY.publicKey, 'base64url'));
    const { passkey } = await registered();
    const signature = new Uint8Array(
      Buffer.from(passkey.get({ challenge: TEXT }).response.signature, 'base64url'),
    );
    expect(await verifySignature({ signature, data: new Uint8Array(1), credentialPublicKey })).toBe(false);
  });
});

describe('a registration', () => {
  it.each<[string, Parameters<ReturnType<typeof fakePasskey>['create']>[1]]>([
    ['of another origin', { origin: 'https://example.com' }],
    ['for another domain', { rpId: 'example.org' }],
    ['without user verification', { flags: { uv: false } }],
    ['of a login', { clientData: (json) => json.replace('webauthn.create', 'webauthn.get') }],
    ['of a frame', { clientData: (json) => json.replace('"crossOrigin":false', '"crossOrigin":true') }],
    ['with an unknown attestation', { attestation: { format: 'fake', statement: Buffer.from([0xa0]) } }],
    ['with an empty packed one', { attestation: { format: 'packed', statement: Buffer.from([0xa0]) } }],
  ])('%s is refused', async (_what, as) => {
    const passkey = fakePasskey({ origin: ORIGIN });
    const response = passkey.create(await webAuthn.creationOptions(CHALLENGE, USER), as);
    expect(await webAuthn.registered(response, TEXT)).toBeUndefined();
  });

  it('with an id that differs from the signed one is refused', async () => {
    const passkey = fakePasskey({ origin: ORIGIN });
    const response = passkey.create(await webAuthn.creationOptions(CHALLENGE, USER));
    expect(await webAuthn.registered({ ...response, id: 'AAAA', rawId: 'AAAA' }, TEXT)).toBeUndefined();
  });

  it('with a key of another algorithm is refused', async () => {
    const response = fakePasskey({ origin: ORIGIN }).create(await webAuthn.creationOptions(CHALLENGE, USER));
    const bytes = Buffer.from(response.response.attestationObject, 'base64url').toString('hex');
    const attestationObject = Buffer.from(bytes.replace('a501020326', 'a501020325'), 'hex').toString(
      'base64url',
    ); // -6
    const other = { ...response, response: { ...response.response, attestationObject } };
    expect(await webAuthn.registered(response, TEXT)).toBeDefined();
    expect(await webAuthn.registered(other, TEXT)).toBeUndefined();
  });

  it('does not make the server fetch what its certificates name', async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked++;
      answer.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const passkey = fakePasskey({ origin: ORIGIN });
      const options = await webAuthn.creationOptions(CHALLENGE, USER);
      const { response } = passkey.create(options);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal`;
      const statement = await androidKey(response.attestationObject, response.clientDataJSON, url);
      const attested = passkey.create(options, { attestation: { format: 'android-key', statement } });
      expect([await webAuthn.registered(attested, TEXT), asked]).toEqual([undefined, 0]);
    } finally {
      server.close();
    }
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
