import { createAuthClient } from '/client.js';

const REASONS = {
  'logged-out': 'You are logged out.',
  expired: 'Your login has expired. Please log in again.',
  idle: 'You were away for long. Please log in again.',
  reused: 'Your login was used twice and has been ended. If that was not you, change your password.',
  kicked: 'An administrator has ended your login.',
  'password-changed': 'The password was changed. Please log in again.',
  disabled: 'The account is disabled.',
};
const TOKEN_INVALID = 40101;
const FRESH_LOGIN_REQUIRED = 40120;

const byId = (id) => document.getElementById(id);
const auth = createAuthClient({
  onEnd: (reason) => showGuest(REASONS[reason] ?? `Your login is over: ${reason}.`),
  onLogin: () => act(start),
});

/** Does something, and says so if it fails. Why a login is over has been said already. */
async function act(work) {
  try {
    await work();
  } catch (error) {
    if (error.code !== TOKEN_INVALID) {
      byId('message').textContent = describe(error);
    }
  }
}

function describe({ message, response }) {
  const seconds = response?.headers.get('Retry-After');
  const later = seconds ? ` (in ${seconds} seconds)` : '';
  return response
    ? `${message || `The server answers ${response.status}`}${later}.`
    : 'No connection to the server.';
}

async function start() {
  const user = await auth.me();
  if (user) {
    await showAccount(user);
  } else if (byId('guest').hidden) {
    showGuest('');
  }
}

/** Takes everything of the user off the page. */
function showGuest(message) {
  byId('confirm').close();
  byId('fresh').reset();
  byId('who').defaultValue = '';
  byId('nickname').textContent = '';
  byId('sessions').replaceChildren();
  switchTo('guest', message);
}

async function showAccount(user) {
  byId('login').reset();
  byId('nickname').textContent = user.nickname;
  byId('who').defaultValue = user.username;
  switchTo('account', '');
  await listSessions();
}

function switchTo(id, message) {
  const isNew = byId(id).hidden;
  byId('message').textContent = message;
  byId('guest').hidden = id !== 'guest';
  byId('account').hidden = id !== 'account';
  if (isNew) {
    byId(`${id}-title`).focus();
  }
}

/** Calls the API. @throws what the API refuses */
async function call(method, path) {
  const response = await auth.fetch(`/v1/api/auth/${path}`, { method });
  const body = response.status === 204 ? undefined : await response.json();
  if (!response.ok) {
    throw Object.assign(new Error(), body, { response });
  }
  return body;
}

async function listSessions() {
  const sessions = await call('GET', 'sessions');
  byId('sessions').replaceChildren(...sessions.map(sessionItem));
  byId('end-others').hidden = sessions.length < 2;
}

function sessionItem({ id, userAgent, address, createdAt, current }) {
  const item = byId('session').content.cloneNode(true);
  const set = (name, text) => (item.querySelector(`[data-is=${name}]`).textContent = text);
  set('device', deviceOf(userAgent));
  set('address', address ?? 'unknown address');
  set('since', new Date(createdAt).toLocaleString());
  item.querySelector('.current').hidden = !current;
  const button = item.querySelector('button');
  button.setAttribute(
    'aria-label',
    `End ${deviceOf(userAgent)}, since ${new Date(createdAt).toLocaleString()}`,
  );
  button.hidden = current;
  button.addEventListener('click', () =>
    act(async () => {
      await call('DELETE', `sessions/${encodeURIComponent(id)}`);
      await listSessions();
    }),
  );
  return item;
}

function deviceOf(userAgent = '') {
  const browser = /Firefox|Edg|Chrom(?=e|ium)|Safari|curl/.exec(userAgent)?.[0];
  const names = { Edg: 'Edge', Chrom: 'Chrome' };
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(userAgent)?.[0];
  return [names[browser] ?? browser ?? 'Unknown client', system].filter(Boolean).join(' on ');
}

/** Ends the other logins. Where the login is too old for that, asks for the password first. */
async function endOthers() {
  try {
    await call('DELETE', 'sessions');
    await listSessions();
    byId('message').textContent = 'All other logins have ended.';
  } catch (error) {
    if (error.code !== FRESH_LOGIN_REQUIRED) {
      throw error;
    }
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
  await act(endOthers);
}

byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const { username, password, remember } = event.target.elements;
  const form = { username: username.value, password: password.value, remember: remember.checked };
  password.value = '';
  void act(async () => showAccount((await auth.login(form)).user));
});
byId('fresh').addEventListener('submit', (event) => {
  event.preventDefault();
  void confirmPassword();
});
byId('cancel').addEventListener('click', () => byId('confirm').close());
byId('confirm').addEventListener('close', () => byId('fresh').reset());
byId('logout').addEventListener('click', () => act(() => auth.logout()));
byId('end-others').addEventListener('click', () => act(endOthers));
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !byId('account').hidden) {
    void act(listSessions);
  }
});
void act(start);
