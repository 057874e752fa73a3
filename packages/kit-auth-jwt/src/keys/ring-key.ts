import type { JwtKey } from 'kit-auth';
import { headersOf, type TokenKey } from './token-key.js';

interface Role {
  /** Undefined for `kit.auth.jwt.secret`. */
  readonly kid: string | undefined;
  readonly next?: JwtKey['next'];
  readonly until?: JwtKey['until'];
  /** What others need to verify its tokens. Undefined for a secret. */
  readonly jwk?: Readonly<Record<string, string>>;
  /** Whether its tokens are those of applications that do not know the ring yet. */
  readonly isLegacy?: boolean;
}

/** A key in its role. */
export class RingKey {
  readonly kid: string | undefined;
  /** The headers of its tokens, in base64url. */
  readonly headers: readonly string[];
  readonly isNext: boolean;
  /** In seconds since 1970. `Infinity` without an end. */
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
