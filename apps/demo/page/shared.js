import { createAuthClient } from '/client.js';
import { createOidc } from '/oidc-client.js';
import { createPasskeys } from '/passkeys-client.js';

/** Of kit-auth. */
const SMALLEST_CODE = 40_000;
export const TOKEN_MISSING = 40100;
export const TOKEN_INVALID = 40101;
export const LINK_INVALID = 40010;
export const SECOND_FACTOR_REQUIRED = 40112;
/** The provider comes back to localhost, which has other cookies. */
const ADDRESSES_OF_THIS_MACHINE = ['127.0.0.1', '[::1]'];
/** What browsers say about passkeys, and the page about its address. */
const DEVICE_ERRORS = {
  InvalidStateError: 'This device has a passkey of yours already.',
  WrongHost: 'Logins with a provider do not work at this address. Open the page at localhost.',
  SecurityError: 'Passkeys do not work at this address. Open the page at localhost.',
};
export const FRESH_LOGIN_REQUIRED = 40120;
/** Of the client. */
const LOGIN_CHANGED = 'LOGIN_CHANGED';

export const byId = (id) => document.getElementById(id);

/**
 * What the page does when a login begins or ends in any tab, when it is confirmed, when another screen is shown, and to go
 * back to its first screen.
 */
export const page = { onEnd() {}, onLogin() {}, onConfirm() {}, onScreen() {}, goHome() {} };

export const auth = createAuthClient({
  onEnd: (reason) => page.onEnd(reason),
  onLogin: () => page.onLogin(),
});
export const passkeys = createPasskeys(auth);
export const oidc = createOidc(auth);

/** What the page went to a provider for. It comes back as a new page. */
const TRIP = 'kit-auth-demo-trip';

/**
 * Goes to a provider.
 *
 * @param purpose `start`, `link` or `fresh`
 * @throws what the API refuses
 */
export async function goToProvider(purpose, name, options = {}) {
  if (ADDRESSES_OF_THIS_MACHINE.includes(location.hostname)) {
    throw Object.assign(new Error(), { name: 'WrongHost' });
  }
  sessionStorage.setItem(TRIP, JSON.stringify({ purpose, name, ...options }));
  await oidc[purpose](name, options);
}

/** What the page went to a provider for: `purpose`, `name` of the provider, and the options. */
export function endTrip() {
  const trip = JSON.parse(sessionStorage.getItem(TRIP) ?? '{}');
  sessionStorage.removeItem(TRIP);
  return trip;
}

/** Does something, and says so if it fails. Why a login is over has been said already. */
export async function act(work) {
  try {
    await work();
  } catch (error) {
    if (error.code !== TOKEN_INVALID && error.code !== TOKEN_MISSING) {
      say(describe(error));
    }
  }
}

export function say(text) {
  byId('message').textContent = text;
  byId('message').scrollIntoView({ block: 'nearest' });
}

export function describe({ name, code, message, reason, response }) {
  if (code === LOGIN_CHANGED) {
    return 'Another tab has logged in, so this was not done.';
  }
  // Errors of the browser have codes, too, but small ones.
  if (!response && !(code >= SMALLEST_CODE)) {
    return DEVICE_ERRORS[name] ?? 'No connection to the server.';
  }
  if (code === LINK_INVALID) {
    return reason === 'expired'
      ? 'This link has expired. Ask for a new one.'
      : 'This link does not work: it may have been used already, or replaced by a newer one. Ask for a new one.';
  }
  const seconds = response?.headers.get('Retry-After');
  const later = seconds ? ` (in ${seconds} seconds)` : '';
  return `${message || `The server answers ${response.status}`}${later}.`;
}

/** Calls the API. @param path of kit-auth, or with a slash one of the demo @throws what the API refuses */
export async function call(method, path, body) {
  const response = await auth.fetch(new URL(path, `${location.origin}/v1/api/auth/`), {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
  if (!response.ok) {
    throw Object.assign(new Error(), answer, { response });
  }
  return answer;
}

/** Shows one screen of the page. */
export function switchTo(id, message) {
  const isNew = byId(id).hidden;
  byId('message').textContent = message;
  for (const section of document.querySelectorAll('main > section')) {
    section.hidden = section.id !== id;
  }
  if (isNew) {
    byId(id).querySelector('h1').focus();
    page.onScreen(id);
  }
}

/** Does what a form says when it is sent. Until that is done, its buttons are off. */
export function onSubmit(id, work) {
  byId(id).addEventListener('submit', async (event) => {
    event.preventDefault();
    const buttons = [...event.target.querySelectorAll('button')];
    buttons.forEach((button) => (button.disabled = true));
    await act(() => work(event.target.elements, event.target));
    buttons.forEach((button) => (button.disabled = false));
  });
}

/** Shows what is shown this once: recovery codes, or a key. */
export function showOnce({ title, hint, text }) {
  byId('once-title').textContent = title;
  byId('once-hint').textContent = hint;
  byId('once-text').textContent = text;
  byId('once-copy').textContent = 'Copy';
  byId('once').showModal();
}

async function copyOnce() {
  try {
    await navigator.clipboard.writeText(byId('once-text').textContent);
    byId('once-copy').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(byId('once-text')); // the browser does not allow it
  }
}

byId('once-copy').addEventListener('click', () => void copyOnce());
/** Takes it off the page. */
export function hideOnce() {
  byId('once-text').textContent = '';
  byId('once').close();
}

byId('once-close').addEventListener('click', hideOnce);
byId('once').addEventListener('close', hideOnce); // with Escape

/** The browser and the system of a client. */
export function deviceOf(userAgent = '') {
  const browser = /Firefox|Edg|Chrom(?=e|ium)|Safari|curl/.exec(userAgent)?.[0];
  const names = { Edg: 'Edge', Chrom: 'Chrome' };
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(userAgent)?.[0];
  return [names[browser] ?? browser ?? 'Unknown client', system].filter(Boolean).join(' on ');
}
