import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { JwtService } from '@nestjs/jwt';
import { IllegalStateException } from 'kit-auth';
import { describeError } from 'kit-auth/tools';
import type { TokenKey } from './token-key.js';

/** A shared secret for HS256. */
export class SecretKey implements TokenKey {
  readonly alg = 'HS256';
  readonly canSign = true;
  readonly isSlow = false;
  /** A whole HMAC-SHA256, 256 bits. */
  readonly signatureLength = 43;
  private jwt: Promise<JwtService> | undefined;

  /** @param key an object, because jsonwebtoken would try to parse a string as a PEM key on every call */
  constructor(
    private readonly key: KeyObject,
    private readonly kid?: string,
  ) {}

  /** Whether its secret is this string. */
  is(text: string): boolean {
    return this.key.equals(createSecretKey(Buffer.from(text)));
  }

  verify(input: string, signature: string): boolean {
    const mac = createHmac('sha256', this.key).update(input).digest('base64url');
    return timingSafeEqual(Buffer.from(signature), Buffer.from(mac));
  }

  async sign(claims: object): Promise<string> {
    const jwt = await (this.jwt ??= this.loadSigner());
    return jwt.sign(claims, this.kid === undefined ? {} : { keyid: this.kid });
  }

  /** Loads the library when the first token is issued, to save start-up time and memory. */
  private async loadSigner(): Promise<JwtService> {
    const { JwtService } = await import('@nestjs/jwt').catch((error: unknown) => {
      throw new IllegalStateException(
        `kit-auth-jwt cannot load @nestjs/jwt. Install @nestjs/jwt@12 with Nest 12, or @nestjs/jwt@11 with Nest 11: ` +
          describeError(error),
      );
    });
    return new JwtService({ secret: this.key, signOptions: { algorithm: 'HS256' } });
  }
}
