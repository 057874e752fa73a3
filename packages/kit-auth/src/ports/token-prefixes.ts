import type { AuthCredential } from '../contract/auth-credential.js';
import type { AuthProvider } from '../contract/auth-provider.js';
import { IllegalStateException } from '../errors/auth.exception.js';

const PREFIX = /^[\w.-]{3,16}$/;

type Named = Pick<AuthCredential, 'scheme' | 'prefix'>;

/**
 * Requires that the prefix of a token determines what resolves it.
 *
 * @throws IllegalStateException for a credential without a usable prefix, and when tokens of two kinds can have the
 * same prefix
 */
export function requireDistinct(
  credentials: readonly Named[],
  { extensionName, tokenPrefixes = [] }: Pick<AuthProvider, 'extensionName' | 'tokenPrefixes'>,
): void {
  credentials.forEach(requirePrefix);
  for (const [i, { scheme, prefix }] of credentials.entries()) {
    const other = credentials.find((credential, j) => i !== j && credential.prefix.startsWith(prefix));
    if (other !== undefined) {
      throw new IllegalStateException(
        `The credentials "${scheme}" and "${other.scheme}" both resolve tokens that begin with "${prefix}". ` +
          'Give each its own prefix, or import their module once.',
      );
    }
    if (
      tokenPrefixes.some((tokenPrefix) => tokenPrefix.startsWith(prefix) || prefix.startsWith(tokenPrefix))
    ) {
      throw new IllegalStateException(
        `The credential "${scheme}" would resolve tokens of ${extensionName}, which also begin with "${prefix}". Give the ` +
          'credential another prefix.',
      );
    }
  }
}

function requirePrefix({ scheme, prefix }: Record<keyof Named, unknown>): void {
  if (typeof scheme !== 'string' || scheme === '' || typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw new IllegalStateException(
      `The credential "${String(scheme)}" needs a scheme, and a prefix of 3 to 16 letters, digits, "_", "." or "-".`,
    );
  }
}
