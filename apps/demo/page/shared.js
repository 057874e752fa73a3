import { createAuthClient } from '/client.js';

const TOKEN_INVALID = 40101;
const LINK_INVALID = 40010;
const FRESH_LOGIN_REQUIRED = 40120;

export const byId = (id) => document.getElementById(id);

/** What the page does when a login begins or ends in any tab, and to go back to its first screen. */
export const page = { onEnd() {}, onLogin() {}, goHome() {} };

export const auth = createAuthClient({
  onEnd: (reason) => page.onEnd(reason),
  onLogin: () => page.onLogin(),
});

/** Does something, and says so if it fails. Why a login is over has been said already. */
export async function act(work) {
  try {
    await work();
  } catch (error) {
    if (error.code !== TOKEN_INVALID) {
      say(describe(error));
    }
  }
}

export function say(text) {
  byId('message').textContent = text;
  byId('message').scrollIntoView({ block: 'nearest' });
}

export function describe({ code, message, reason, response }) {
  if (!response) {
    return 'No connection to the server.';
  }
  if (code === LINK_INVALID) {
    return reason === 'expired'
      ? 'This link has expired. Ask for a new one.'
      : 'This link does not work: it may have been used already, or replaced by a newer one. Ask for a new one.';
  }
  const seconds = response.headers.get('Retry-After');
  const later = seconds ? ` (in ${seconds} seconds)` : '';
  return `${message || `The server answers ${response.status}`}${later}.`;
}

/** Calls the API. @throws what the API refuses */
export async function call(method, path, body) {
  const response = await auth.fetch(`/v1/api/auth/${path}`, {
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

let waiting;

/** Does something that needs a fresh login. Where the login is too old for that, asks for the password first. */
export async function whileFresh(work) {
  try {
    await work();
  } catch (error) {
    if (error.code !== FRESH_LOGIN_REQUIRED) {
      throw error;
    }
    waiting = work;
    byId('fresh-message').textContent = '';
    byId('confirm').showModal();
  }
}

async function confirmPassword() {
  try {
    await auth.fresh(byId('again').value);
  } catch (error) {
    byId('fresh-message').textContent = describe(error);
    return;
  } finally {
    byId('fresh').reset();
  }
  byId('confirm').close();
  await act(() => whileFresh(waiting));
}

byId('fresh').addEventListener('submit', (event) => {
  event.preventDefault();
  void confirmPassword();
});
byId('cancel').addEventListener('click', () => byId('confirm').close());
byId('confirm').addEventListener('close', () => byId('fresh').reset());
