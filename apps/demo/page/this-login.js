// What kit-auth knows about the login of this page.
import { byId, call, deviceOf, TOKEN_INVALID } from '/shared.js';

const FACTORS = {
  password: 'Password',
  passkey: 'Passkey',
  oidc: 'Provider',
  email: 'Link in a mail',
  totp: 'Code from the app',
  recovery: 'Recovery code',
};
const TOKENS = {
  'jwt-stateless': 'JWT',
  'session-token': 'Session token',
};

/** The login, and the time of the server. The login is null if there is none. */
export async function readLogin() {
  try {
    return { ...(await call('GET', '/v1/this-login')), readAt: performance.now() };
  } catch (error) {
    if (error.code !== TOKEN_INVALID) {
      throw error;
    }
    return { login: null };
  }
}

let shown;

/** Seconds on the clock of the server. That of the browser may be set to another time. */
const now = () => shown.now + (performance.now() - shown.readAt) / 1000;
const part = (name) => byId('this-login').querySelector(`[data-is=${name}]`);

export function showLogin(known) {
  if (!known.login) {
    return;
  }
  shown = known;
  const { user, scheme, loginId, factors, address, userAgent } = known.login;
  part('user').textContent =
    user.nickname === user.username ? user.username : `${user.nickname} (${user.username})`;
  part('id').textContent = user.userId;
  part('roles').replaceChildren(...chips(user.roles));
  part('permissions').replaceChildren(...chips(user.superAdmin ? ['all of them'] : user.permissions));
  part('factors').replaceChildren(...Object.entries(factors).map(factorLine));
  part('client').textContent = deviceOf(userAgent);
  part('address').textContent = address ?? 'unknown address';
  part('kind').textContent = TOKENS[scheme] ?? scheme;
  part('login').textContent = loginId ?? 'has no id';
  tick();
}

/** The end of the login, which the list of logins has. */
export function showEnd(session) {
  part('end').textContent = session ? `ends ${new Date(session.expiresAt).toLocaleString()}` : '';
}

export function hideLogin() {
  shown = undefined;
  byId('this-login')
    .querySelectorAll('[data-is]')
    .forEach((element) => element.replaceChildren());
}

function chips(texts) {
  return texts.length === 0 ? ['none'] : texts.flatMap((text) => [tag('span', 'chip', text), ' ']);
}

function factorLine([name, time]) {
  const age = tag('span', 'muted', '');
  age.dataset.time = time;
  const line = tag('div', '', `${factorName(name)}, `);
  line.append(age);
  return line;
}

function tag(name, className, text) {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

export function factorName(name) {
  return FACTORS[name] ?? name;
}

/** A time span in words. */
export function spanOf(seconds) {
  const [size, unit] =
    seconds < 120
      ? [1, 'second']
      : seconds < 7200
        ? [60, 'minute']
        : seconds < 172_800
          ? [3600, 'hour']
          : [86_400, 'day'];
  const count = Math.max(0, Math.floor(seconds / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** How long ago the user has shown one of some factors in this login. Undefined: never. */
export function ageOf(names) {
  const times = names.map((name) => shown?.login.factors[name]).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(0, now() - Math.max(...times));
}

function tick() {
  if (shown && !document.hidden) {
    for (const age of part('factors').querySelectorAll('[data-time]')) {
      age.textContent = `${spanOf(now() - age.dataset.time)} ago`;
    }
    const { tokenExpiresAt } = shown.login;
    const left = tokenExpiresAt - now();
    part('token-end').textContent =
      tokenExpiresAt === undefined
        ? 'valid until the login ends'
        : left > 0
          ? `expires in ${spanOf(left)}, and is then renewed`
          : 'has expired, and is renewed with the next request';
  }
}

setInterval(tick, 1000);
