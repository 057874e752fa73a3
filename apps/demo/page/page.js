import { askForFactor, forgetLogin, hideFactors, isLoggingIn, showFactors } from '/factors.js';
import { whileFresh } from '/fresh.js';
import { hideKeys, showKeys } from '/keys.js';
import { hideLive, showLive } from '/live.js';
import { openLoginLink } from '/login-links.js';
import { hideAddress, openLink, openRequest, showAddress } from '/mails.js';
import { hidePasskeys, showPasskeys } from '/passkeys.js';
import { hideProviders, openResult, showProviders } from '/providers.js';
import {
  SECOND_FACTOR_REQUIRED,
  act,
  auth,
  byId,
  call,
  deviceOf,
  hideOnce,
  onSubmit,
  page,
  say,
  switchTo,
} from '/shared.js';
import { hideLogin, readLogin, showEnd, showLogin } from '/this-login.js';
import { hideRoutes, showRoutes } from '/try.js';

const REASONS = {
  'logged-out': 'You are logged out.',
  expired: 'Your login has expired. Please log in again.',
  idle: 'You were inactive for too long. Please log in again.',
  reused: 'Your login was used twice and has been ended. If that was not you, change your password.',
  kicked: 'An administrator has ended your login.',
  'password-changed': 'The password was changed. Please log in again.',
  disabled: 'The account is disabled.',
  'too-many-attempts': 'There were too many wrong passwords. Please log in again.',
};

/** Whether the page shows what a login begins or ends: not what a link has opened, whose token is nowhere else. */
function isHome() {
  const shown = document.querySelector('main > section:not([hidden])');
  return !shown || ['guest', 'factor', 'account'].includes(shown.id);
}

page.onEnd = (reason) => {
  clearAccount();
  if (isHome()) {
    showGuest(REASONS[reason] ?? `Your login is over: ${reason}.`);
  }
};
page.onLogin = () => {
  if (isHome()) {
    void act(start);
  }
};
page.onConfirm = () => act(async () => showLogin(await readLogin()));
page.goHome = (message) =>
  act(async () => {
    history.replaceState(null, '', location.pathname);
    await start();
    say(message);
  });

async function start() {
  const known = await readLogin();
  if (known.login) {
    await showAccount(known);
  } else if (byId('guest').hidden && !isLoggingIn()) {
    showGuest('');
  }
}

/** The fragment says what to show: how a login with a provider ended, a link of a mail, a screen that asks for one, or nothing. */
function route() {
  if (!openResult() && !openLink() && !openLoginLink() && !openRequest()) {
    void act(start);
  }
}

/** Takes everything of the user off the page. */
function clearAccount() {
  byId('confirm').close();
  byId('fresh').reset();
  byId('who').defaultValue = '';
  byId('nickname').textContent = '';
  byId('sessions').replaceChildren();
  hideLive();
  hideOnce();
  hideLogin();
  hideRoutes();
  hideAddress();
  hidePasskeys();
  hideProviders();
  hideFactors();
  hideKeys();
}

function showGuest(message) {
  clearAccount();
  switchTo('guest', message);
}

async function showAccount(known) {
  const { user } = known.login;
  byId('login').reset();
  forgetLogin();
  byId('nickname').textContent = user.nickname;
  byId('who').defaultValue = user.username;
  showLogin(known);
  switchTo('account', '');
  showLive(() => act(listSessions));
  // Each by itself: who has to add a second factor first may see nothing else.
  await Promise.all(
    [
      showRoutes,
      listSessions,
      () => showAddress(user),
      () => showProviders(known),
      showPasskeys,
      showFactors,
      showKeys,
    ].map(act),
  );
}

async function listSessions() {
  const sessions = await call('GET', 'sessions');
  byId('sessions').replaceChildren(...sessions.map(sessionItem));
  byId('end-others').hidden = sessions.length < 2;
  showEnd(sessions.find(({ current }) => current));
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
    act(() =>
      whileFresh(async () => {
        await call('DELETE', `sessions/${encodeURIComponent(id)}`);
        await listSessions();
      }),
    ),
  );
  return item;
}

function endOthers() {
  return whileFresh(async () => {
    await call('DELETE', 'sessions');
    await listSessions();
    say('All other logins have ended.');
  });
}

onSubmit('login', async ({ username, password, remember }) => {
  const form = { username: username.value, password: password.value, remember: remember.checked };
  password.value = '';
  try {
    await auth.login(form);
  } catch (error) {
    if (error.code !== SECOND_FACTOR_REQUIRED) {
      throw error;
    }
    askForFactor(error, form);
    return;
  }
  await start();
});
byId('logout').addEventListener('click', () => act(() => auth.logout()));
byId('end-others').addEventListener('click', () => act(endOthers));
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !byId('account').hidden) {
    void act(listSessions);
  }
});
addEventListener('hashchange', route);
route();
