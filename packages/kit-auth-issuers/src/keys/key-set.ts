import {
  isObject,
  keyFrom,
  keyProblem,
  publicMembersOf,
  type SignatureAlgorithm,
  VerificationKey,
} from 'kit-auth/tools';

const MAX_KEYS = 100;
/** Maximum number of keys that are tried for a token, because each verification takes time. */
const MAX_TRIED = 4;

/** A key that an issuer publishes, for each algorithm that it fits. */
interface PublishedKey {
  readonly kid: string | undefined;
  readonly verifiers: readonly VerificationKey[];
}

/** The keys of an issuer (RFC 7517) that verify signatures. Others in the same set are ignored. */
export class KeySet {
  /** Keyed by content, so that the next set reuses the objects of equal keys. */
  private readonly known = new Map<string, PublishedKey>();
  private readonly kids: ReadonlySet<string | undefined>;
  private readonly current: ReadonlySet<VerificationKey>;

  /**
   * @param jwks as it was published
   * @param before the set that this one replaces
   * @throws Error unless it is a key set
   */
  constructor(jwks: unknown, algorithms: readonly SignatureAlgorithm[], before?: KeySet) {
    const keys = isObject(jwks) ? jwks['keys'] : undefined;
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
      throw new Error(`the key set is not an object with at most ${MAX_KEYS} keys`);
    }
    for (const jwk of keys as unknown[]) {
      const id = isObject(jwk) ? idOf(jwk) : undefined;
      if (id !== undefined) {
        this.known.set(
          id,
          before?.known.get(id) ?? published(jwk as Readonly<Record<string, unknown>>, algorithms),
        );
      }
    }
    const all = [...this.known.values()].filter(({ verifiers }) => verifiers.length > 0);
    this.kids = new Set(all.map(({ kid }) => kid));
    this.current = new Set(all.flatMap(({ verifiers }) => verifiers));
  }

  get size(): number {
    return this.current.size;
  }

  hasKid(kid: string): boolean {
    return this.kids.has(kid);
  }

  /** Whether the issuer still publishes a key. */
  has(key: VerificationKey): boolean {
    return this.current.has(key);
  }

  /** Whether the issuer publishes the same keys as before. */
  equals(other: KeySet): boolean {
    return this.size === other.size && [...this.current].every((key) => other.has(key));
  }

  /** The keys that may have signed a token. Without a `kid`, the algorithm must have a single key. */
  candidates(kid: string | undefined, alg: unknown): VerificationKey[] {
    const fitting = [...this.known.values()].flatMap((key) =>
      kid === undefined || key.kid === kid ? key.verifiers.filter((verifier) => verifier.alg === alg) : [],
    );
    return kid === undefined && fitting.length > 1 ? [] : fitting.slice(0, MAX_TRIED);
  }
}

/** Undefined for a key that is not for signatures. */
function idOf(jwk: Readonly<Record<string, unknown>>): string | undefined {
  const { kid, alg, use, key_ops: operations } = jwk;
  const isForSignatures =
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify')));
  const members = publicMembersOf(jwk);
  return isForSignatures &&
    [kid ?? '', alg ?? '', ...Object.values(members)].every((it) => typeof it === 'string')
    ? JSON.stringify([kid, alg, members])
    : undefined;
}

function published(
  jwk: Readonly<Record<string, unknown>>,
  algorithms: readonly SignatureAlgorithm[],
): PublishedKey {
  const { kid, alg } = jwk as { kid?: string; alg?: string };
  try {
    const key = keyFrom(publicMembersOf(jwk));
    const fitting = algorithms.filter((it) => (alg ?? it) === it && keyProblem(it, key) === undefined);
    return { kid, verifiers: fitting.map((it) => new VerificationKey(it, key)) };
  } catch {
    // Symmetric and unreadable keys.
    return { kid, verifiers: [] };
  }
}
