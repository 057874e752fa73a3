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
  if (url.hash !== '') {
    return 'must not have a fragment';
  }
  return insecureProblem(url);
}
