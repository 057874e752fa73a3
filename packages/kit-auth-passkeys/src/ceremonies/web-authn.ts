import type * as Library from '@simplewebauthn/server';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { Injectable } from '@nestjs/common';
import { RelyingParty } from '../passkeys.options.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import { isFromTopPage } from './client-data.js';

/** The lifetime of a ceremony. */
export const CEREMONY_SECONDS = 5 * 60;
/** COSE numbers of Ed25519, ES256 and RS256. Every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];
/** Other formats have certificates: the library would request the URLs in them, before it trusts them. */
const ATTESTATIONS = ['none', 'packed'];
/** More than an RSA key of 8,000 bits. */
const MAX_KEY_BYTES = 1050;
const TIMEOUT_MS = CEREMONY_SECONDS * 1000;

/** A checked registration. */
export type NewCredential = Pick<
  AuthPasskey,
  'credentialId' | 'publicKey' | 'algorithm' | 'counter' | 'deviceType' | 'backedUp' | 'aaguid' | 'transports'
>;

/** A checked assertion. */
export type Assertion = Pick<AuthPasskey, 'counter' | 'deviceType' | 'backedUp'>;

/** The user of a registration. */
export interface CredentialUser {
  /** Base64url. */
  readonly handle: string;
  readonly username: string;
  readonly nickname: string;
  readonly passkeys: readonly Pick<AuthPasskey, 'credentialId' | 'transports'>[];
}

/** Calls the WebAuthn library, and loads it with the first ceremony. Every ceremony requires user verification. */
@Injectable()
export class WebAuthn {
  private loading: Promise<typeof Library> | undefined;

  constructor(private readonly relyingParty: RelyingParty) {}

  async creationOptions(
    challenge: Uint8Array<ArrayBuffer>,
    { handle, username, nickname, passkeys }: CredentialUser,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await this.library();
    return generateRegistrationOptions({
      rpID: this.relyingParty.id,
      rpName: this.relyingParty.name,
      userID: new Uint8Array(Buffer.from(handle, 'base64url')),
      userName: username,
      userDisplayName: nickname,
      challenge,
      timeout: TIMEOUT_MS,
      excludeCredentials: passkeys.map(descriptorOf),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** @param passkeys that may sign; none for any passkey of this relying party */
  async requestOptions(
    challenge: Uint8Array<ArrayBuffer>,
    passkeys: CredentialUser['passkeys'] = [],
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await this.library();
    return generateAuthenticationOptions({
      rpID: this.relyingParty.id,
      challenge,
      timeout: TIMEOUT_MS,
      allowCredentials: passkeys.map(descriptorOf),
      userVerification: 'required',
    });
  }

  /** @returns undefined when anything is wrong */
  async registered(
    response: RegistrationResponseJSON,
    challenge: string,
  ): Promise<NewCredential | undefined> {
    const { verifyRegistrationResponse } = await this.library();
    const { decodeAttestationObject, isoBase64URL } = await this.helpers();
    const verified = await this.verified<VerifiedRegistrationResponse>(response, async () => {
      const attestation = isoBase64URL.toBuffer(response.response.attestationObject);
      if (!ATTESTATIONS.includes(decodeAttestationObject(attestation).get('fmt'))) {
        return { verified: false };
      }
      return verifyRegistrationResponse({
        response,
        ...this.expected(challenge),
        supportedAlgorithmIDs: ALGORITHMS,
      });
    });
    const info = verified?.registrationInfo;
    if (info === undefined || info.credential.id !== response.id) {
      return undefined;
    }
    const { credential, credentialDeviceType, credentialBackedUp, aaguid } = info;
    if (credential.publicKey.length > MAX_KEY_BYTES) {
      return undefined;
    }
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      algorithm: await this.algorithmOf(credential.publicKey),
      counter: credential.counter,
      deviceType: typeOf(credentialDeviceType),
      backedUp: credentialBackedUp,
      aaguid,
      transports: (response.response.transports ?? []).join(),
    };
  }

  /**
   * Checks an assertion, except for its counter: its rules depend on the passkey.
   *
   * @returns undefined when anything is wrong
   */
  async asserted(
    response: AuthenticationResponseJSON,
    challenge: string,
    { credentialId, publicKey }: Pick<AuthPasskey, 'credentialId' | 'publicKey'>,
  ): Promise<Assertion | undefined> {
    const { verifyAuthenticationResponse } = await this.library();
    const verified = await this.verified(response, () =>
      verifyAuthenticationResponse({
        response,
        ...this.expected(challenge),
        credential: {
          id: credentialId,
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
          counter: 0,
        },
      }),
    );
    return (
      verified && {
        counter: verified.authenticationInfo.newCounter,
        deviceType: typeOf(verified.authenticationInfo.credentialDeviceType),
        backedUp: verified.authenticationInfo.credentialBackedUp,
      }
    );
  }

  /** The library throws for junk, with messages that contain the challenge. A wrong signature is not thrown. */
  private async verified<T extends { verified: boolean }>(
    { response: { clientDataJSON } }: RegistrationResponseJSON | AuthenticationResponseJSON,
    verify: () => Promise<T>,
  ): Promise<T | undefined> {
    if (!isFromTopPage(clientDataJSON)) {
      return undefined;
    }
    const result = await verify().catch(() => undefined);
    return result?.verified === true ? result : undefined;
  }

  private expected(challenge: string) {
    return {
      expectedChallenge: challenge,
      expectedOrigin: [...this.relyingParty.origins],
      expectedRPID: this.relyingParty.id,
      requireUserVerification: true,
    };
  }

  private async algorithmOf(publicKey: Uint8Array<ArrayBuffer>): Promise<number> {
    const { decodeCredentialPublicKey, cose } = await this.helpers();
    return decodeCredentialPublicKey(publicKey).get(cose.COSEKEYS.alg) ?? 0;
  }

  private helpers() {
    return import('@simplewebauthn/server/helpers');
  }

  private library(): Promise<typeof Library> {
    this.loading ??= import('@simplewebauthn/server').catch((error: unknown) => {
      this.loading = undefined; // the next ceremony tries again
      throw error;
    });
    return this.loading;
  }
}

function descriptorOf({ credentialId, transports }: Pick<AuthPasskey, 'credentialId' | 'transports'>) {
  return {
    id: credentialId,
    transports: (transports === '' ? [] : transports.split(',')) as AuthenticatorTransport[],
  };
}

function typeOf(deviceType: string): AuthPasskey['deviceType'] {
  return deviceType === 'multiDevice' ? 'multi' : 'single';
}
