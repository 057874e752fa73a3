import type { SignatureAlgorithm } from 'kit-auth/jws';
import type { Issuer } from '../contract/issuer.options.js';

export const ALGORITHMS: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** The options that have defaults. */
type Completed = Exclude<keyof Issuer, 'issuer' | 'audience' | 'user' | 'jwks'>;

/** An issuer, with the defaults of its options. */
export type IssuerSettings = Pick<Issuer, 'issuer' | 'user' | 'jwks'> & {
  readonly [Key in Completed]-?: NonNullable<Issuer[Key]>;
} & { readonly audience: readonly string[] };

export function settingsOf(issuer: Issuer): IssuerSettings {
  return {
    ...issuer,
    audience: [issuer.audience].flat(),
    name: nameOf(issuer),
    algorithms: issuer.algorithms ?? ALGORITHMS,
    typ: issuer.typ ?? 'any',
    bound: issuer.bound ?? 'refuse',
    maxAgeMinutes: issuer.maxAgeMinutes ?? 720,
    clockSkewSeconds: issuer.clockSkewSeconds ?? 5,
    claims: issuer.claims ?? {},
    fresh: issuer.fresh ?? false,
    cacheSeconds: issuer.cacheSeconds ?? 5,
  };
}

export function nameOf({ name, issuer }: Pick<Issuer, 'name' | 'issuer'>): string {
  return name ?? issuer.replace(/^https?:\/\//, '');
}
