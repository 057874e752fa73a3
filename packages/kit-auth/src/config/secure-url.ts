const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the rest of the error message about a URL that is not secure: "must be an https URL". http is secure enough for
 * this machine, outside of production.
 */
export function insecureProblem({ protocol, hostname }: URL): string | undefined {
  if (protocol === 'https:') {
    return undefined;
  }
  if (process.env['NODE_ENV'] === 'production') {
    return 'must be an https URL in production';
  }
  return protocol === 'http:' && LOCAL_HOSTS.includes(hostname)
    ? undefined
    : 'must be an https URL (http only for localhost)';
}

/** The same about a value that has to be a URL without credentials and fragment. */
export function urlProblem(value: unknown): string | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) {
    return 'must be an absolute URL';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain credentials';
  }
  return url.hash === '' ? insecureProblem(url) : 'must not have a fragment';
}
