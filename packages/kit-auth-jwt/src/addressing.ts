import type { KitAuthSettings } from 'kit-auth';

type Options = Partial<Pick<KitAuthSettings['jwt'], 'issuer' | 'audience' | 'legacyUntil'>>;

/** The claims of a token about its sender and its recipients, before anybody has checked them. */
interface Addressed {
  readonly iss?: unknown;
  readonly aud?: unknown;
}

/** Who issues our tokens, and whom they are for (RFC 7519 sections 4.1.1 and 4.1.3). */
export class Addressing {
  /** The claims of new tokens. */
  readonly claims: { readonly iss?: string; readonly aud?: string | readonly string[] };
  private readonly audiences: ReadonlySet<unknown>;
  /** Until when a claim may be absent, in seconds since 1970. */
  private readonly legacyUntil: number | undefined;

  constructor({ issuer, audience, legacyUntil }: Options) {
    this.claims = {
      ...(issuer !== undefined && { iss: issuer }),
      ...(audience !== undefined && { aud: audience }),
    };
    this.audiences = new Set([audience ?? []].flat());
    this.legacyUntil = legacyUntil === undefined ? undefined : Date.parse(legacyUntil) / 1000;
  }

  /**
   * Until when tokens with these claims are accepted, in seconds since 1970. Undefined if they are from somebody else,
   * or for somebody else.
   */
  endOf({ iss, aud }: Addressed): number | undefined {
    const { iss: issuer, aud: audience } = this.claims;
    const isOurs = issuer === undefined || iss === undefined || iss === issuer;
    const isForUs = aud === undefined || this.includes(aud);
    if (!isOurs || !isForUs) {
      return undefined;
    }
    const lacksClaim =
      (issuer !== undefined && iss === undefined) || (audience !== undefined && aud === undefined);
    return lacksClaim ? this.legacyUntil : Infinity;
  }

  private includes(aud: unknown): boolean {
    const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    return all.every((one) => typeof one === 'string') && all.some((one) => this.audiences.has(one));
  }
}
