import type { Ports } from 'kit-auth/extend';

const MAX_LENGTH = 200;

/** Says that nobody here accepts tokens of its issuer. Often, one character differs. Undefined for all other tokens. */
export function foreignIssuerOf(token: string, { provider, credentials }: Ports): string | undefined {
  const issuer = issuerOf(token);
  const accepted = [provider?.issuer, ...credentials.flatMap(({ issuers }) => issuers ?? [])].filter(
    (it) => it !== undefined,
  );
  if (issuer === undefined || accepted.length === 0 || accepted.includes(issuer)) {
    return undefined;
  }
  return `Its iss is ${JSON.stringify(issuer.slice(0, MAX_LENGTH))}. The application accepts tokens of ${accepted.join(', ')}.`;
}

function issuerOf(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      iss?: unknown;
    } | null;
    return typeof claims?.iss === 'string' ? claims.iss : undefined;
  } catch {
    return undefined;
  }
}
