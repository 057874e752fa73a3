import type { JwtKey } from 'kit-auth';
import { headersOf, type TokenKey } from './token-key.js';

interface Role {
  /** Undefined for `kit.auth.jwt.secret`. */
  readonly kid: string | undefined;
  readonly next?: JwtKey['next'];
  readonly until?: JwtKey['until'];
  /** The public key. Undefined for a secret. */
  readonly jwk?: Readonly<Record<string, string>>;
  /** Whether its tokens have the form from before the ring. */
  readonly isLegacy?: boolean;
}

/** A key in its role. */
export class RingKey {
  readonly kid: string | undefined;
  /** The headers of its tokens, in base64url. */
  readonly headers: readonly string[];
  readonly isNext: boolean;
  /** Seconds since 1970. `Infinity` without an end. */
  readonly endsAt: number;
  readonly jwk: Role['jwk'];
  readonly isLegacy: boolean;

  constructor(
    readonly material: TokenKey,
    { kid, next = false, until, jwk, isLegacy = false }: Role,
  ) {
    this.kid = kid;
    this.headers = headersOf(material.alg, kid);
    this.isNext = next;
    this.endsAt = until === undefined ? Infinity : Math.floor(Date.parse(until) / 1000);
    this.jwk = jwk;
    this.isLegacy = isLegacy;
  }

  get hasEnded(): boolean {
    return this.endsAt <= Date.now() / 1000;
  }

  /** Whether it could sign now. */
  get canSign(): boolean {
    return !this.isNext && this.material.canSign && !this.hasEnded;
  }
}

/** The keys that sign and verify tokens. */
export class KeyRing {
  /** Keyed by whole headers in base64url, so that a token cannot choose how it is verified. */
  private readonly byHeader: ReadonlyMap<string, RingKey>;

  /**
   * @param keys in the order of their options
   * @param secret of the tokens without `kid`, if they are accepted. Alone, it verifies every signature
   */
  constructor(
    readonly keys: readonly RingKey[],
    readonly secret?: RingKey,
  ) {
    const all = secret === undefined ? keys : [...keys, secret];
    this.byHeader = new Map(all.flatMap((key) => key.headers.map((header) => [header, key] as const)));
  }

  get headers(): string[] {
    return [...this.byHeader.keys()];
  }

  /** Whether our tokens can have this header. */
  knows(header: string): boolean {
    return this.byHeader.has(header);
  }

  /** The key that verifies tokens with a header. */
  keyOf(header: string): RingKey | undefined {
    return this.byHeader.get(header) ?? (this.keys.length === 0 ? this.secret : undefined);
  }

  /** The key that signs now: the first that can. While all keys are `next`, it is the secret. */
  signer(): RingKey | undefined {
    const isBefore = this.keys.every(({ isNext }) => isNext);
    return isBefore && this.secret?.canSign === true ? this.secret : this.keys.find(({ canSign }) => canSign);
  }

  /** The public keys, as members of a JWK Set (RFC 7517 section 5). */
  published(): Readonly<Record<string, string>>[] {
    return this.keys.flatMap((key) => (key.jwk === undefined || key.hasEnded ? [] : [key.jwk]));
  }

  /** Describes the role of each key, for the log. */
  roles(): string[] {
    const signer = this.signer();
    const legacy = this.secret?.isLegacy === true ? [this.secret] : [];
    return [...this.keys, ...legacy].map((key) => `${nameOf(key)} ${roleOf(key, key === signer)}`);
  }
}

function nameOf({ kid }: RingKey): string {
  return kid === undefined ? 'kit.auth.jwt.secret' : `key ${kid}`;
}

function roleOf({ hasEnded, isNext, endsAt }: RingKey, isSigner: boolean): string {
  const until = endsAt === Infinity ? '' : ` until ${new Date(endsAt * 1000).toISOString()}`;
  if (hasEnded) {
    return 'has ended';
  }
  return isNext ? 'is next' : `${isSigner ? 'signs' : 'is accepted'}${until}`;
}
