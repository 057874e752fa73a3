// Requests to the endpoints of kit-auth.
import { createAuthClient } from './client.js';
import { api, meta } from './settings.js';

export const INVALID_INPUT = 40000;
export const TOKEN_MISSING = 40100;
export const TOKEN_INVALID = 40101;
export const SECOND_FACTOR_REQUIRED = 40112;
export const FRESH_LOGIN_REQUIRED = 40120;
export const FORBIDDEN = 40300;
export const PASSWORD_CHANGE_REQUIRED = 40301;
export const ENROLMENT_REQUIRED = 40303;
export const NOT_FOUND = 40400;
export const CONFLICT = 40900;
/** Code of the client: another tab has logged in, so a request is not sent again. */
export const LOGIN_CHANGED = 'LOGIN_CHANGED';
export const TOO_MANY_ATTEMPTS = 42900;
export const NOT_IMPLEMENTED = 50100;
export const UNAVAILABLE = 50300;

/** Set by the parts of the page that react to them. */
export const on = {
  /** The login is over. */
  end(_reason) {},
  /** Another tab has logged in. */
  login() {},
  /** A request needs a fresh login. Resolves with false if the user cancels. */
  confirm: async (_error) => false,
  /** A request was refused because of a permission. */
  forbidden() {},
};

export const auth = createAuthClient({
  baseUrl: api,
  onEnd: (reason) => on.end(reason),
  onLogin: () => on.login(),
});

/** Undefined if the application has no passkeys, or the browser cannot use them here. */
export const passkeys = await loadPasskeys();

async function loadPasskeys() {
  if (meta('passkeys') === '') {
    return undefined;
  }
  const { createPasskeys } = await import('./passkeys-client.js');
  const created = createPasskeys(auth);
  return created.isSupported() ? created : undefined;
}

/**
 * A value as a segment of a path of the API.
 *
 * @throws an error like a refusal with 40400 for an empty one, and for `.` and `..`, which are folders however a URL spells them
 */
export function segment(value) {
  if (/^\.{0,2}$/.test(value)) {
    throw Object.assign(new Error(), { code: NOT_FOUND, response: new Response(null, { status: 404 }) });
  }
  return encodeURIComponent(value);
}

/** Requests that wait for a fresh login wait for the same one. */
let confirming;

/**
 * Calls an endpoint. A login that is not fresh is confirmed first, and the request is repeated, unless another login has begun.
 *
 * @returns the body of the answer, undefined without one
 * @throws what `send` throws, with `isCancelled` if the user does not confirm the login
 */
export async function call(method, path, body, options) {
  for (;;) {
    try {
      return await send(method, path, body, options);
    } catch (error) {
      if (error.code === FORBIDDEN) {
        on.forbidden();
      }
      if (error.code !== FRESH_LOGIN_REQUIRED) {
        throw error;
      }
      confirming ??= on.confirm(error).finally(() => (confirming = undefined));
      if (!(await confirming)) {
        throw Object.assign(error, { isCancelled: true });
      }
      auth.requireSameLogin(error.response);
    }
  }
}

/** @throws an error with the members of the refusal, for example `code`; without a code, the server was not reached */
async function send(method, path, body, { signal } = {}) {
  const response = await auth.fetch(`v1/api/auth/${path}`, {
    method,
    signal,
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) {
    throw Object.assign(new Error(), answer, { response });
  }
  return answer;
}

/** Seconds until the next try, if a refusal says so. */
export const retryAfter = ({ response }) => Number(response?.headers.get('Retry-After')) || undefined;

/** The query of a URL, without empty values. */
export function queryOf(values) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(entries).toString();
  return query === '' ? '' : `?${query}`;
}
