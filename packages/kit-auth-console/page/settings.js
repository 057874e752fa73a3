// Values that the server writes into the page, and values that the browser stores: the language and the size of lists,
// nothing else.
export const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? '';

/** The address of this page, with a slash at the end. Assets and pages are below it. */
export const base = new URL(document.baseURI);

/** The address that `v1/api/auth` is relative to: a path, as other clients of the application have it. */
export const api = addressOf(new URL(meta('api'), base));

/** A path that begins with two slashes would be the name of a host. */
function addressOf({ pathname, href }) {
  return pathname.startsWith('//') ? href : pathname;
}

export const home = meta('home');

export const title = document.title;

const PREFIX = 'kit-auth-console ';

export function stored(name) {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined; // the browser keeps nothing for this page
  }
}

export function store(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The choice lasts until the page is closed.
  }
}
