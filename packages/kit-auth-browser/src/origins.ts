const EXACT =
  'exact origins such as https://app.example: scheme://host, with :port where it is not the default';

/**
 * Returns the rest of the error message about a list of origins, after its key.
 *
 * @param schemes the schemes that an origin may have. Default: any, because web views have their own
 */
export function originsProblem(value: unknown, schemes?: readonly string[]): string | undefined {
  if (!Array.isArray(value)) {
    return `must be a list of ${EXACT}`;
  }
  for (const [i, origin] of (value as unknown[]).entries()) {
    const problem = originProblem(origin, schemes);
    if (problem !== undefined) {
      return `has at position ${i + 1} ${problem}`;
    }
  }
  return undefined;
}

function originProblem(origin: unknown, schemes?: readonly string[]): string | undefined {
  if (typeof origin !== 'string' || origin.trim() === '') {
    return `no text: it takes ${EXACT}`;
  }
  if (origin === 'null') {
    return "'null', which identifies no origin: every sandboxed frame and local file sends it";
  }
  if (origin.includes('*')) {
    return 'a wildcard: name each origin, because whoever controls one of them acts for its visitors';
  }
  const [, scheme = '', host] = /^([a-z][a-z\d+.-]*):\/\/([^/?#@\\\s]+)$/.exec(origin) ?? [];
  const normalised = normalisedOrigin(origin);
  if (host === undefined || (normalised !== undefined && normalised !== origin)) {
    const advice = normalised === undefined ? '' : `: write ${normalised}`;
    return `no exact origin as browsers send it (lower case, punycode, no default port, path or slash)${advice}`;
  }
  if (normalised === undefined && /^(https?|wss?|ftp|file):$/.test(`${scheme}:`)) {
    return `no origin that a page can have: it takes ${EXACT}`;
  }
  return schemes === undefined || schemes.includes(scheme)
    ? undefined
    : 'a page that is not on the web and gets no cookies: name it in bodyOrigins';
}

/** The origin as a browser would send it, or undefined if unknown. It contains no secrets. */
function normalisedOrigin(text: string): string | undefined {
  const { protocol, origin } = URL.canParse(text) ? new URL(text) : { protocol: '', origin: 'null' };
  return /^https?:$/.test(protocol) && origin !== 'null' ? origin : undefined;
}
