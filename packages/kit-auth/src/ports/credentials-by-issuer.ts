import type { AuthCredential } from '../contract/auth-credential.js';
import { MAX_TOKEN_LENGTH } from '../contract/settings.js';

/** Enough for about 10,000 tokens of usual size. */
const MAX_CHARACTERS = 4_194_304;
/** The least cost of a token, because entries need memory too. */
const MIN_CHARACTERS = 400;
const PAYLOAD = /^[\w-]+\.([\w-]+)\.[\w-]*$/;

/** Finds the credential that resolves a JWT, by the claim `iss` as the token spells it. Verifies nothing. */
export class CredentialsByIssuer {
  private readonly byIssuer: ReadonlyMap<unknown, AuthCredential>;
  /** The answers for the last tokens, because tokens come again. */
  private readonly known = new Map<string, AuthCredential | undefined>();
  private characters = 0;

  constructor(credentials: readonly AuthCredential[]) {
    this.byIssuer = new Map(
      credentials.flatMap((credential) =>
        (credential.issuers ?? []).map((issuer) => [issuer, credential] as const),
      ),
    );
  }

  /** Undefined for tokens of other issuers, and for everything that is not a JWT. */
  of(token: string): AuthCredential | undefined {
    if (!token.startsWith('eyJ') || token.length > MAX_TOKEN_LENGTH) {
      return undefined;
    }
    const known = this.known.get(token);
    if (known !== undefined || this.known.has(token)) {
      return known;
    }
    const credential = this.byIssuer.get(issuerOf(token));
    const characters = Math.max(token.length, MIN_CHARACTERS);
    this.characters += characters;
    if (this.characters > MAX_CHARACTERS) {
      this.known.clear();
      this.characters = characters;
    }
    this.known.set(token, credential);
    return credential;
  }
}

function issuerOf(token: string): unknown {
  const [, part = ''] = PAYLOAD.exec(token) ?? [];
  const payload = Buffer.from(part, 'base64url');
  try {
    const claims = JSON.parse(payload.toString()) as { iss?: unknown } | null;
    return payload.toString('base64url') === part ? claims?.iss : undefined;
  } catch {
    return undefined;
  }
}
