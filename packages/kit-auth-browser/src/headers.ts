/** The part of a request with `rawHeaders` of Node: alternating names and values. */
export interface WithRawHeaders {
  readonly rawHeaders: readonly string[];
}

/**
 * The values of all lines of a header. In `headers`, Node joins them or drops all but one.
 *
 * @param name in lower case
 */
export function linesOf({ rawHeaders }: WithRawHeaders, name: string): string[] {
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const other = rawHeaders[i] as string;
    if (other.length === name.length && other.toLowerCase() === name) {
      lines.push(rawHeaders[i + 1] as string);
    }
  }
  return lines;
}

/** True for requests of pages in browsers. Apps and services send neither header. */
export function isOfBrowser(request: WithRawHeaders): boolean {
  return linesOf(request, 'sec-fetch-site').length > 0 || linesOf(request, 'origin').length > 0;
}
