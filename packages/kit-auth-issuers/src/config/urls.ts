import { insecureProblem } from 'kit-auth/extend';

/** Returns the rest of the error message about a URL, such as "must be an https URL". */
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

/** The same about a URL that others are made from, or that is compared as a text. */
export function plainUrlProblem(value: unknown): string | undefined {
  return (
    urlProblem(value) ??
    (/[?#\s]/.test(value as string) ? 'must not have a query, or white space' : undefined)
  );
}
