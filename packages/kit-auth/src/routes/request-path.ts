const ORIGIN = /^https?:\/\/[^/?#\\]*/i;
const PATH_CHARACTERS = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,=:@/]|%[0-9a-f]{2})*$/i;
const EMPTY_OR_DOT_SEGMENT = /\/\/|\/\.{1,2}(?:\/|$)/;
/** Encoded control characters and encoded `# % . / ; ? \`. */
const DOUBTFUL_ESCAPE = /%(?:[01][0-9a-f]|7f|2[35ef]|3[bf]|5c)/i;
const DOUBTFUL_DECODED = /[\u0080-\u009f\u2028\u2029]/;

/**
 * The decoded path of a request target, or undefined when the target is not plain: dot or empty segments, `\`,
 * `;`, `#`, control characters, anything outside RFC 3986, bad escapes, or escapes of characters that servers
 * disagree on. Routers and proxies read such paths in different ways, so they never earn an exemption.
 * The absolute form (`GET http://host/path`, RFC 9112 section 3.2.2) counts by its path.
 */
export function plainPath(target: string): string | undefined {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const query = withoutOrigin.indexOf('?');
  const path = query < 0 ? withoutOrigin : withoutOrigin.slice(0, query);
  if (!PATH_CHARACTERS.test(path) || EMPTY_OR_DOT_SEGMENT.test(path)) {
    return undefined;
  }
  if (!path.includes('%')) {
    return path;
  }
  if (DOUBTFUL_ESCAPE.test(path)) {
    return undefined;
  }
  try {
    const decoded = decodeURIComponent(path);
    return DOUBTFUL_DECODED.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
