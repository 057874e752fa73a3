/** The page lies deep enough for every state of it, and a URL does not make its HTML long. */
const MAX_DEPTH = 8;

/**
 * The segments of a request below the page, as they were sent. Empty for the page itself, `['']` with a slash after it.
 * Counts segments instead of comparing them, because routers ignore case, and decode.
 *
 * @param url of the request
 * @param path the path of the page as it is registered
 * @returns undefined for a URL with an empty segment before the page, such as `//admin`: a router may leave it out, and a
 * browser does not
 */
export function segmentsBelow(url: string, path: string): string[] | undefined {
  const [sent = ''] = url.split(/[?#]/, 1);
  const segments = sent.split('/');
  const below = path.split('/').length;
  return segments.slice(1, below).includes('') ? undefined : segments.slice(below);
}

/**
 * The `<base>` of the page, relative to the URL of the request. It never contains what was sent.
 *
 * @returns undefined for a request that is too deep
 */
export function baseOf(segments: readonly string[], path: string): string | undefined {
  if (segments.length > MAX_DEPTH) {
    return undefined;
  }
  return segments.length === 0
    ? `${path.slice(path.lastIndexOf('/') + 1)}/`
    : '../'.repeat(segments.length - 1) || './';
}

/**
 * The way from the base of the page to a folder of the same application.
 *
 * @param path of the page
 * @param folder with a slash at both ends
 */
export function wayTo(folder: string, path: string): string {
  const [from, to] = [path.split('/').slice(1), folder.split('/').slice(1, -1)];
  const shared = from.findIndex((segment, i) => segment !== to[i]);
  const common = shared === -1 ? from.length : shared;
  const down = to.slice(common).map((segment) => `${segment}/`);
  return `${'../'.repeat(from.length - common)}${down.join('')}` || './';
}
