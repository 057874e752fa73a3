import { insecureProblem } from 'kit-auth/extend';

const PLACEHOLDER = '{token}';

/**
 * Returns the rest of the error message about the URL of a page, such as "must be an absolute URL". The token must be
 * in the fragment, which browsers do not send to servers, so it appears in no log and no `Referer` header.
 */
export function linkProblem(link: string): string | undefined {
  if (link.split(PLACEHOLDER).length !== 2) {
    return `must have ${PLACEHOLDER} once, in the fragment: https://app.example/reset#${PLACEHOLDER}`;
  }
  const sample = 'token';
  const url = URL.canParse(link) ? new URL(link.replace(PLACEHOLDER, sample)) : undefined;
  if (url === undefined) {
    return 'must be an absolute URL';
  }
  if (!link.slice(link.indexOf('#') + 1).includes(PLACEHOLDER) || !link.includes('#')) {
    return `must have ${PLACEHOLDER} in the fragment, after the #: other parts of a URL end up in logs`;
  }
  return url.username === '' && url.password === '' ? insecureProblem(url) : 'must not contain credentials';
}

/** The link of a mail. */
export function linkWith(link: string, token: string): string {
  return link.replace(PLACEHOLDER, () => token);
}
