import type { KeyObject } from 'node:crypto';
import type { JwtSigner } from 'kit-auth';
import { describeError, publicKeyOf, signWith, VerificationKey, withinDeadline } from 'kit-auth/tools';
import { encoded, headersOf, type TokenKey } from './token-key.js';

/** Bytes of a number of a signature with P-256. */
const NUMBER_BYTES = 32;

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

/** Calls a `JwtSigner`. */
export class RemoteSigner {
  constructor(
    private readonly kid: string,
    private readonly signer: JwtSigner,
    private readonly timeoutMs: number,
  ) {}

  /** Rejects with an error that names the key, and omits the signed data. */
  async sign(input: string): Promise<unknown> {
    try {
      return await withinDeadline(this.timeoutMs, this.call(input), 'its signer');
    } catch (error) {
      const hidden = input
        .split('.')
        .reduce((text, part) => text.replaceAll(part, '...'), describeError(error));
      throw new Error(`the key ${this.kid} of kit.auth.jwt.keys cannot sign: ${hidden}`);
    }
  }

  /** Rejects if the signer throws. */
  private async call(input: string): Promise<unknown> {
    return this.signer.sign(Buffer.from(input));
  }
}

/**
 * The fixed form of an ECDSA signature (RFC 7518 section 3.4) that is in DER: a sequence of two integers, which may have
 * a leading zero, or be shorter.
 *
 * @returns undefined for anything else
 */
export function fixedForm(der: Buffer): Buffer | undefined {
  const endOfR = 4 + (der[3] ?? 0);
  const numbers = [der.subarray(4, endOfR), der.subarray(endOfR + 2)];
  const isSequence = der[0] === 0x30 && der[1] === der.length - 2;
  const areIntegers = der[2] === 2 && der[endOfR] === 2 && der[endOfR + 1] === numbers[1]?.length;
  const padded = numbers.map((number) =>
    Buffer.concat([Buffer.alloc(NUMBER_BYTES), number]).subarray(-NUMBER_BYTES),
  );
  const areShort = numbers.every((number) => number.subarray(0, -NUMBER_BYTES).every((byte) => byte === 0));
  return isSequence && areIntegers && areShort ? Buffer.concat(padded) : undefined;
}
