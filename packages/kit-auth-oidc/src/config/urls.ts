const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the rest of the error message about a URL, such as "must be an https URL". */
export function urlProblem(value: unknown): string | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) {
    return 'must be an absolute URL';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain credentials';
  }
  if (url.hash !== '') {
    return 'must not have a fragment';
  }
  return isSecure(url) ? undefined : insecureProblem();
}

/** https, or http on this machine outside of production. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && LOCAL_HOSTS.includes(hostname) && process.env['NODE_ENV'] !== 'production')
  );
}

function insecureProblem(): string {
  return process.env['NODE_ENV'] === 'production'
    ? 'must be an https URL in production'
    : 'must be an https URL (http only for localhost)';
}
