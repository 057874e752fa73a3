import type { JwtKey } from 'kit-auth';

/** The material of a key, with its algorithm. */
export interface TokenKey {
  readonly alg: JwtKey['alg'];
  /** False for public keys. */
  readonly canSign: boolean;
  /** Whether verification is slow, so that its results are cached. */
  readonly isSlow: boolean;
  /** The length of a signature in base64url. */
  readonly signatureLength: number;
  /**
   * @param input the signed string: the first two parts of a token
   * @param signature of the right length
   */
  verify(input: string, signature: string): boolean;
  /** Returns a token with these claims. */
  sign(claims: object): Promise<string>;
}

/** The spellings of a header that we accept, in base64url. No other parameter, so no key ever comes with a token. */
export function headersOf(alg: JwtKey['alg'], kid: string | undefined): string[] {
  const typ = 'JWT';
  const spellings =
    kid === undefined
      ? [{ alg, typ }, { typ, alg }, { alg }]
      : [
          { alg, typ, kid },
          { alg, kid, typ },
          { alg, kid },
        ];
  return spellings.map(encoded);
}

/** JSON in base64url. */
export function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
