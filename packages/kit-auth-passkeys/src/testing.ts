import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { authenticatorData, bytes, coseKey, map, text } from './testing.encoding.js';

/** Properties of the fake authenticator. */
export interface FakePasskeyOptions {
  /** The origin of the page, one of `kit.auth.passkeys.origins`. */
  readonly origin: string;
  /** Default: `ES256`. */
  readonly algorithm?: 'ES256' | 'EdDSA' | 'RS256';
  /** `multi` for a password manager without a counter, `single` for a security key. Default: `multi`. */
  readonly deviceType?: 'single' | 'multi';
  /** The counter. It grows by one with each use. Default: 0 for `single`. `multi` always sends 0. */
  readonly counter?: number;
  /** The credential id, at most 1,023 bytes. Default: 32 random bytes. */
  readonly id?: Uint8Array;
  /** The model. Default: 16 zeros, like most browsers. */
  readonly aaguid?: Uint8Array;
}

/** Differences from an honest answer, for tests of attacks. */
export interface FakeAnswer {
  readonly origin?: string;
  readonly rpId?: string;
  /** Changes the text of `clientDataJSON`, for example to `{"type":"webauthn.get",…,"crossOrigin":true}`. */
  readonly clientData?: (json: string) => string;
  /** User presence, user verification, backup eligibility and backup state. */
  readonly flags?: {
    readonly up?: boolean;
    readonly uv?: boolean;
    readonly be?: boolean;
    readonly bs?: boolean;
  };
  readonly counter?: number;
  /** Base64url. `null` leaves it out. */
  readonly userHandle?: string | null;
}

/** Differences from an honest registration. */
export interface FakeRegistration extends Omit<FakeAnswer, 'userHandle'> {
  /** The passkey can be found without a user name. `undefined`: the browser does not say. Default: true. */
  readonly isDiscoverable?: boolean | undefined;
  /** An attestation statement, in CBOR. Default: `none`. */
  readonly attestation?: { readonly format: string; readonly statement: Uint8Array };
}

/** A passkey in the memory of the test. */
export interface FakePasskey {
  /** The credential id in base64url. */
  readonly id: string;
  /** Answers the options of `POST passkeys/options`, as `navigator.credentials.create()` does. */
  create(options: PublicKeyCredentialCreationOptionsJSON, as?: FakeRegistration): RegistrationResponseJSON;
  /** Answers the options of a login, as `navigator.credentials.get()` does. Call `create()` before. */
  get(
    options: Pick<PublicKeyCredentialRequestOptionsJSON, 'challenge' | 'rpId'>,
    as?: FakeAnswer,
  ): AuthenticationResponseJSON;
}

/**
 * Makes a passkey that signs with `node:crypto`, so that tests need no browser.
 *
 * @example
 * ```ts
 * const passkey = fakePasskey({ origin: 'https://example.com' });
 * const begun = await post('/v1/api/auth/passkeys/options', {}, token);
 * await post(
 *   '/v1/api/auth/passkeys',
 *   { ceremony: begun.body.ceremony, response: passkey.create(begun.body.options) },
 *   token,
 * ).expect(201);
 *
 * const { body } = await post('/v1/api/auth/login/passkey/options', {});
 * await post('/v1/api/auth/login/passkey', {
 *   ceremony: body.ceremony,
 *   response: passkey.get(body.options),
 * }).expect(200);
 * ```
 */
export function fakePasskey(options: FakePasskeyOptions): FakePasskey {
  return new FakeAuthenticator(options);
}

class FakeAuthenticator implements FakePasskey {
  readonly id: string;
  private readonly rawId: Uint8Array;
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject };
  private readonly isMulti: boolean;
  private counter: number;
  private rpId = '';
  private userHandle: string | null = null;

  constructor(private readonly options: FakePasskeyOptions) {
    const { algorithm = 'ES256', deviceType = 'multi', counter = 0, id = randomBytes(32) } = options;
    this.rawId = id;
    this.id = base64url(id);
    this.keys = newKeys(algorithm);
    this.isMulti = deviceType === 'multi';
    this.counter = counter;
  }

  create(
    { challenge, rp, user }: PublicKeyCredentialCreationOptionsJSON,
    as: FakeRegistration = {},
  ): RegistrationResponseJSON {
    this.rpId = rp.id ?? '';
    this.userHandle = user.id;
    const { isDiscoverable = 'isDiscoverable' in as ? undefined : true, attestation } = as;
    const aaguid = this.options.aaguid ?? new Uint8Array(16);
    const credential = { aaguid, id: this.rawId, key: coseKey(this.keys.publicKey) };
    const { format, statement } = attestation ?? { format: 'none', statement: map([]) };
    return {
      ...this.ids,
      response: {
        clientDataJSON: base64url(this.clientData('webauthn.create', challenge, as)),
        attestationObject: base64url(
          map([
            [text('fmt'), text(format)],
            [text('attStmt'), statement],
            [text('authData'), bytes(authenticatorData({ ...this.state(as), credential }))],
          ]),
        ),
        transports: ['internal'],
      },
      clientExtensionResults: isDiscoverable === undefined ? {} : { credProps: { rk: isDiscoverable } },
    };
  }

  get(
    { challenge }: Pick<PublicKeyCredentialRequestOptionsJSON, 'challenge'>,
    as: FakeAnswer = {},
  ): AuthenticationResponseJSON {
    this.counter += this.isMulti ? 0 : 1;
    const data = authenticatorData(this.state(as));
    const clientData = this.clientData('webauthn.get', challenge, as);
    const signed = Buffer.concat([data, hash('sha256', clientData, 'buffer')]);
    const digest = this.options.algorithm === 'EdDSA' ? null : 'sha256';
    const { userHandle = this.userHandle } = as;
    return {
      ...this.ids,
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(sign(digest, signed, this.keys.privateKey)),
        ...(userHandle !== null && { userHandle }),
      },
      clientExtensionResults: {},
    };
  }

  private get ids() {
    return { id: this.id, rawId: this.id, type: 'public-key' as const };
  }

  private state({ rpId = this.rpId, flags, counter = this.counter }: FakeAnswer) {
    const honest = { up: true, uv: true, be: this.isMulti, bs: this.isMulti };
    return { rpId, flags: { ...honest, ...flags }, counter };
  }

  private clientData(
    type: string,
    challenge: string,
    { origin = this.options.origin, clientData = (json) => json }: FakeAnswer,
  ): Uint8Array {
    return Buffer.from(clientData(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
  }
}

function newKeys(algorithm: 'ES256' | 'EdDSA' | 'RS256'): { publicKey: KeyObject; privateKey: KeyObject } {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

function base64url(data: Uint8Array): string {
  return Buffer.from(data).toString('base64url');
}
