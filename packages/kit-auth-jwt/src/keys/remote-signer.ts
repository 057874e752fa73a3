import type { JwtSigner } from 'kit-auth';
import { describeError, withinDeadline } from 'kit-auth/extend';

/** Calls a `JwtSigner`. */
export class RemoteSigner {
  constructor(
    private readonly kid: string,
    private readonly signer: JwtSigner,
    private readonly timeoutMs: number,
  ) {}

  /** Rejects with an error that names the key, but contains nothing of what is signed. */
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
