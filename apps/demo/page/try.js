// The routes of the demo: what they require, and what they answer.
import { explain, needOf } from '/answers.js';
import { whileFresh } from '/fresh.js';
import { act, auth, byId, call, FRESH_LOGIN_REQUIRED } from '/shared.js';

const REFERENCE = 'https://github.com/kit-auth/kit-auth/blob/main/docs/reference/errors.md';
const SENT = {
  login: 'with the cookie of this login',
  nobody: 'without a token',
  damaged: 'with a token that nobody issued',
};
/** How a token is sent without cookies. */
let header;
/** The request whose answer is shown. */
let tried;

export async function showRoutes() {
  hideRoutes();
  const { tokenHeader, tokenPrefix, routes } = await call('GET', '/v1/this-login/routes');
  header = { [tokenHeader]: `${tokenPrefix}damaged` };
  byId('routes').replaceChildren(...routes.map(routeItem));
}

export function hideRoutes() {
  byId('answer').hidden = true;
  byId('try').append(byId('answer'));
  byId('answer-body').textContent = '';
  byId('tried').textContent = '';
  byId('routes').replaceChildren();
  tried = undefined;
}

function routeItem(route) {
  const item = byId('route-item').content.cloneNode(true).querySelector('li');
  const { method, path, handler } = route;
  Object.entries({ method, path, handler }).forEach(
    ([part, text]) => (item.querySelector(`[data-is=${part}]`).textContent = text),
  );
  item.querySelector('.needs').append(...needs(route).flatMap((chip) => [chip, ' ']));
  const button = item.querySelector('button');
  button.setAttribute('aria-label', `Send ${method} ${path}`);
  button.addEventListener('click', () => {
    tried = { route, item, as: byId('send-as').querySelector(':checked').value };
    void act(send);
  });
  return item;
}

/** The requirements as chips. What a user has or lacks is known; ages and policies are checked with the request. */
function needs({ decision, pattern, requires }) {
  const chip = (text, sign = '', meaning = '') => {
    const element = Object.assign(document.createElement('span'), { className: 'chip', textContent: text });
    element.dataset.sign = sign;
    element.append(
      Object.assign(document.createElement('span'), { className: 'sr-only', textContent: meaning }),
    );
    return element;
  };
  return [
    chip(pattern ? `${decision}: ${pattern}` : decision),
    ...requires.map((required) =>
      required.isMet === undefined
        ? chip(needOf(required))
        : required.isMet
          ? chip(needOf(required), '✓', ', which you have')
          : chip(needOf(required), '✗', ', which you lack'),
    ),
  ];
}

/** Sends the request, and shows the answer. @returns the answer if the login has to be confirmed for it */
async function send() {
  const request = tried;
  const { route, as } = request;
  const from = performance.now();
  const response = await (as === 'login'
    ? auth.fetch(route.path)
    : fetch(route.path, { credentials: 'omit', headers: as === 'damaged' ? header : {} }));
  const ms = Math.round(performance.now() - from);
  const text = await response.text();
  const body = /^[[{]/.test(text) ? JSON.parse(text) : text;
  if (request === tried) {
    show({ ...request, response, body, ms });
  }
  return body.code === FRESH_LOGIN_REQUIRED ? Object.assign(new Error(), body, { response }) : undefined;
}

function show({ route, item, as, response, body, ms }) {
  const set = (part, text) => (byId(`answer-${part}`).textContent = text);
  const { came, why, next } = explain({ route, as, response, body });
  const { code, error } = body;
  const status = byId('answer-status');
  status.textContent = response.status;
  status.dataset.kind = response.ok ? 'admitted' : response.status === 401 ? 'unknown' : 'refused';
  const name = code ? `${code} ${error}` : response.statusText || 'OK';
  set('code', name);
  set('request', `${route.method} ${route.path} ${SENT[as]}, ${ms} ms`);
  set('came', came);
  set('why', why);
  set('next', next);
  set('body', JSON.stringify(body, null, 2));
  byId('answer-confirm').hidden = code !== FRESH_LOGIN_REQUIRED || as !== 'login';
  const more = byId('answer-more');
  more.hidden = !code;
  more.textContent = `Reference: ${code}`;
  more.href = `${REFERENCE}#${code}-${error?.toLowerCase()}`;
  item.append(byId('answer'));
  byId('answer').hidden = false;
  byId('tried').textContent = `${response.status}, ${name}. ${why}`;
}

byId('answer-confirm').addEventListener('click', () =>
  act(() =>
    whileFresh(async () => {
      const refused = await send();
      if (refused) {
        throw refused;
      }
      byId('answer-title').focus(); // the button is gone
    }),
  ),
);
