import type { KitAuthSettings } from 'kit-auth';

type Options = Partial<Pick<KitAuthSettings['jwt'], 'issuer' | 'audience' | 'legacyUntil'>>;

/** Unchecked claims about the issuer and the audience of a token. */
interface Addressed {
  readonly iss?: unknown;
  readonly aud?: unknown;
}

/** The issuer and the audience of our tokens (RFC 7519 sections 4.1.1 and 4.1.3). */
export class Addressing {
  /** The claims of new tokens. */
  readonly claims: { readonly iss?: string; readonly aud?: string | readonly string[] };
  private readonly audiences: ReadonlySet<unknown>;
  /** The claims may be absent until this time, in seconds since 1970. */
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
   * Returns the time until which tokens with these claims are accepted, in seconds since 1970. Undefined for another issuer
   * or audience.
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
