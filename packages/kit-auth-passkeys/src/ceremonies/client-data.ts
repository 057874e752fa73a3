/** A token of JSON text: a string, or a bracket, comma or colon. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]/g;

/**
 * Checks of `clientDataJSON` that the library lacks: the page must be the top one, or a frame of the same origin. A frame of
 * another site could use a passkey without the user noticing.
 *
 * @param encoded `clientDataJSON` in base64url
 */
export function isFromTopPage(encoded: string): boolean {
  const data = parse(encoded);
  return (
    data !== undefined &&
    (data['crossOrigin'] === undefined || data['crossOrigin'] === false) &&
    data['topOrigin'] === undefined &&
    data['tokenBinding'] === undefined // bound to another connection
  );
}

/** @returns undefined for text that parsers could read in more than one way */
function parse(encoded: string): Record<string, unknown> | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const text = decoder.decode(Buffer.from(encoded, 'base64url'));
    const data: unknown = JSON.parse(text); // throws for a byte order mark
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject && hasDistinctKeys(text) ? (data as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Keys of the outermost object must differ. `JSON.parse` takes the last of equal ones. */
function hasDistinctKeys(json: string): boolean {
  const keys = new Set<unknown>();
  let depth = 0;
  let last = '';
  for (const [token] of json.matchAll(JSON_TOKEN)) {
    if (token === ':' && depth === 1) {
      const key: unknown = JSON.parse(last);
      if (keys.has(key)) {
        return false;
      }
      keys.add(key);
    }
    depth += '[{'.includes(token) ? 1 : ']}'.includes(token) ? -1 : 0;
    last = token;
  }
  return true;
}
