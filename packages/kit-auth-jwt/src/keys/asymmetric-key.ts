import type { KeyObject } from 'node:crypto';
import { publicKeyOf, signWith, VerificationKey } from 'kit-auth/jws';
import { fixedForm } from './ecdsa-signature.js';
import type { RemoteSigner } from './remote-signer.js';
import { encoded, headersOf, type TokenKey } from './token-key.js';

/** A key pair, or the public key alone. */
export class AsymmetricKey implements TokenKey {
  readonly canSign: boolean;
  readonly isSlow = true;
  private readonly header: string;
  private readonly verification: VerificationKey;

  /**
   * @param key private or public, of the algorithm
   * @param remote signs in the place of a private key
   */
  constructor(
    readonly alg: VerificationKey['alg'] & TokenKey['alg'],
    private readonly kid: string,
    private readonly key: KeyObject,
    private readonly remote?: RemoteSigner,
  ) {
    this.canSign = remote !== undefined || key.type === 'private';
    this.header = headersOf(alg, kid)[0] as string;
    this.verification = new VerificationKey(alg, publicKeyOf(key));
  }

  get signatureLength(): number {
    return this.verification.signatureLength;
  }

  verify(input: string, signature: string): boolean {
    return this.verification.verify(input, signature);
  }

  async sign(claims: object): Promise<string> {
    const input = `${this.header}.${encoded(claims)}`;
    const signature =
      this.remote === undefined
        ? signWith(this.alg, this.key, input)
        : this.checked(input, await this.remote.sign(input));
    return `${input}.${signature.toString('base64url')}`;
  }

  /** @throws Error unless it is a signature of the input with this key */
  private checked(input: string, signature: unknown): Buffer {
    const bytes = signature instanceof Uint8Array ? this.asInTokens(Buffer.from(signature)) : undefined;
    if (bytes === undefined || !this.verify(input, bytes.toString('base64url'))) {
      throw new Error(
        `the key ${this.kid} of kit.auth.jwt.keys cannot sign: its signer returned no signature of it`,
      );
    }
    return bytes;
  }

  /** Key management services return ECDSA signatures in DER. */
  private asInTokens(signature: Buffer): Buffer | undefined {
    return this.alg === 'ES256' && signature.length !== 64 ? fixedForm(signature) : signature;
  }
}
