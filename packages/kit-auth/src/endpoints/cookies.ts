/** No other white space: browsers accept cookies of subdomains whose names begin with U+00A0 and `__Host-`. */
const LEADING_SPACE = /^[ \t]+/;

/**
 * The values of a cookie in the `Cookie` headers of a request. If there are several, an attacker may have planted any of
 * them.
 *
 * @param lines the values of the headers
 * @example
 * const [value, ...others] = cookiesIn([request.headers.cookie ?? ''], '__Host-cart');
 */
export function cookiesIn(lines: readonly string[], name: string): string[] {
  const prefix = `${name}=`;
  return lines
    .flatMap((line) => line.split(';'))
    .map((pair) => pair.replace(LEADING_SPACE, ''))
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}
