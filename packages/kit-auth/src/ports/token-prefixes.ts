import type { AuthCredential } from '../contract/auth-credential.js';
import type { AuthProvider } from '../contract/auth-provider.js';
import { IllegalStateException } from '../errors/auth.exception.js';

const PREFIX = /^[\w.-]{3,16}$/;
/** A token of RFC 9110. */
const AUTH_SCHEME = /^[!#$%&'*+.^`|~\w-]+$/;

type Named = Pick<AuthCredential, 'scheme' | 'prefix' | 'issuers' | 'authScheme' | 'read'>;

/**
 * Requires that a token determines what resolves it, by its prefix or the way in which it is found.
 *
 * @param headerPrefix the prefix of all other tokens in the token header, such as `Bearer `
 * @throws IllegalStateException for a credential whose tokens cannot be found, or in several ways, or would count as
 * logins, and when two resolve the same tokens
 */
export function requireDistinct(
  credentials: readonly Named[],
  {
    extensionName,
    tokenPrefixes = [],
    issuer,
  }: Pick<AuthProvider, 'extensionName' | 'tokenPrefixes' | 'issuer'>,
  headerPrefix: string,
): void {
  credentials.forEach(requireOneWay);
  requireOwnIssuers(credentials, { extensionName, issuer });
  for (const [i, { scheme, prefix, authScheme }] of credentials.entries()) {
    const others = credentials.filter((_credential, j) => i !== j);
    if (scheme === extensionName) {
      throw new IllegalStateException(
        `A credential has the scheme "${scheme}", the name of the authentication implementation, so that its tokens would ` +
          'count as logins. Give the credential another scheme.',
      );
    }
    if (authScheme !== undefined) {
      requireOwnScheme({ scheme, authScheme }, others, headerPrefix);
    }
    if (prefix === undefined) {
      continue;
    }
    const other = others.find((credential) => credential.prefix?.startsWith(prefix));
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

function requireOneWay({
  scheme,
  prefix,
  issuers,
  authScheme,
  read,
}: Partial<Record<keyof Named, unknown>>): void {
  const ways = Object.entries({ prefix, issuers, authScheme, read }).filter(
    ([, value]) => value !== undefined,
  );
  if (ways.length > 1) {
    throw new IllegalStateException(
      `The credential "${String(scheme)}" has ${ways.map(([name]) => name).join(' and ')}. Its tokens are found in one way: ` +
        'leave the others out.',
    );
  }
  if (issuers !== undefined && !isIssuers(issuers)) {
    throw new IllegalStateException(
      `issuers of the credential "${String(scheme)}" must be a list of the iss of its tokens, such as ` +
        '["https://login.example.com"].',
    );
  }
  const isFound =
    authScheme !== undefined || read !== undefined || issuers !== undefined || matches(prefix, PREFIX);
  if (typeof scheme !== 'string' || scheme === '' || !isFound) {
    throw new IllegalStateException(
      `The credential "${String(scheme)}" needs a scheme, and a prefix of 3 to 16 letters, digits, "_", "." or "-".`,
    );
  }
}

function requireOwnScheme(
  { scheme, authScheme }: Required<Pick<Named, 'scheme' | 'authScheme'>>,
  others: readonly Named[],
  headerPrefix: string,
): void {
  if (!matches(authScheme, AUTH_SCHEME)) {
    throw new IllegalStateException(
      `authScheme of the credential "${scheme}" must be one word without spaces, such as HMAC-SHA256.`,
    );
  }
  const name = authScheme.toLowerCase();
  if (`${name} `.startsWith(headerPrefix.toLowerCase())) {
    throw new IllegalStateException(
      `The credential "${scheme}" would get no tokens: those behind "${authScheme}" are read as other tokens, because ` +
        `kit.auth.tokenPrefix is "${headerPrefix}".`,
    );
  }
  const other = others.find((credential) => credential.authScheme?.toLowerCase() === name);
  if (other !== undefined) {
    throw new IllegalStateException(
      `The credentials "${scheme}" and "${other.scheme}" both have the authScheme "${authScheme}". Give each its own, or ` +
        'import their module once.',
    );
  }
}

/** @throws IllegalStateException for an issuer that something else resolves already */
function requireOwnIssuers(
  credentials: readonly Named[],
  { extensionName, issuer: own }: Pick<AuthProvider, 'extensionName'> & { issuer: string | undefined },
): void {
  const owners = new Map(own === undefined ? [] : [[own, extensionName]]);
  for (const { scheme, issuers = [] } of credentials) {
    for (const issuer of issuers) {
      const other = owners.get(issuer);
      if (other !== undefined) {
        throw new IllegalStateException(
          `"${other}" and the credential "${scheme}" both resolve tokens of the issuer "${issuer}". Each issuer has one ` +
            'resolver: remove it from one of them.',
        );
      }
      owners.set(issuer, scheme);
    }
  }
}

function isIssuers(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((issuer) => matches(issuer, /./));
}

function matches(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
