import { insecureProblem, urlProblem } from 'kit-auth/tools';

/** The schemes of URLs that run code, or show content of strangers. */
const DANGEROUS = /^(javascript|data|blob|file|vbscript|about|filesystem|ws|wss|ftp|view-source|intent):/;
const MAX_LENGTH = 1024;

/** Returns the rest of the error message about the option `returnTo`. */
export function returnToProblem(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    return 'must be a list of the URLs of your own pages, such as https://app.example/login';
  }
  for (const [i, entry] of (list as unknown[]).entries()) {
    const problem = entryProblem(entry);
    if (problem !== undefined) {
      return `has at position ${i + 1} a URL that ${problem}`;
    }
  }
  return undefined;
}

function entryProblem(entry: unknown): string | undefined {
  if (typeof entry !== 'string' || entry.length > MAX_LENGTH || !URL.canParse(entry)) {
    return 'must be absolute';
  }
  const url = new URL(entry);
  if (/^https?:$/.test(url.protocol)) {
    const problem = url.search === '' ? urlProblem(entry) : 'must not have a query';
    return problem ?? (isNormal(entry) ? undefined : `must be written as browsers do: ${url.href}`);
  }
  if (DANGEROUS.test(url.protocol)) {
    return 'must have https, or the scheme of your own app';
  }
  return url.hash === '' && isNormal(entry)
    ? undefined
    : 'must be written as browsers do, without a fragment';
}

/**
 * Whether a login may end at a URL. A web page must be a configured URL or below one. The URL of an app must match exactly.
 *
 * @param wanted the URL in the request
 */
export function isAllowed(wanted: string, list: readonly string[]): boolean {
  if (list.includes(wanted)) {
    return true;
  }
  // Browsers normalize backslashes, dots and control characters: such URLs are refused.
  const url =
    wanted.length <= MAX_LENGTH && URL.canParse(wanted) && isNormal(wanted) ? new URL(wanted) : undefined;
  return (
    url !== undefined &&
    insecureProblem(url) === undefined &&
    url.username === '' &&
    url.password === '' &&
    !/[#"\\]/.test(wanted) &&
    // Servers may decode them, and then see another path.
    !/%(2e|2f|5c)/i.test(url.pathname) &&
    list.some((entry) => isBelow(url, new URL(entry)))
  );
}

function isBelow(url: URL, entry: URL): boolean {
  const folder = entry.pathname.endsWith('/') ? entry.pathname : `${entry.pathname}/`;
  return (
    url.protocol === entry.protocol &&
    url.host === entry.host &&
    (url.pathname === entry.pathname || url.pathname.startsWith(folder))
  );
}

function isNormal(text: string): boolean {
  const { href } = new URL(text);
  return href === text || href === `${text}/`;
}
