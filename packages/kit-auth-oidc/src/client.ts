// Runs in browsers, without the rest of the package: it imports nothing.

/** A part of the client of `kit-auth-browser`, or of one of your own. */
export interface OidcAuth {
  /** Like `fetch`, with the token or the cookies of the user, and relative to the base URL of the API. */
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Like `fetch` with POST, for an endpoint that changes the cookies of the login. Synchronizes the tabs. */
  authenticate?: <T>(path: string, body: object) => Promise<T>;
  /** Tells the other tabs that this one logged in. */
  loggedIn?: () => void;
}

/** A provider, for a button. */
export interface ListedProvider {
  name: string;
  title: string;
}

/** The page where a login ends. */
export interface OidcOptions {
  /** One of `kit.auth.oidc.returnTo`, or a page below it. Default: the first of them. */
  returnTo?: string;
}

/** The parameters of a login. */
export interface OidcStartOptions extends OidcOptions {
  /** Whether the user stays logged in when the browser is closed. */
  remember?: boolean;
  /** `prompt` of OpenID Connect. */
  prompt?: 'login' | 'select_account' | 'consent' | 'none';
}

/** The result of a login, a link or a re-authentication. */
export type OidcResult =
  /** The user is logged in, has linked an identity, or has confirmed the login. */
  | { status: 'ok' }
  /** The user has no account yet. Show the address and the name of the new account, and send `token` to `POST oidc/complete`. */
  | {
      status: 'complete';
      token: string;
      /** Only pages without cookies have to send it. */
      verifier: string;
      provider?: string;
      address?: string;
      name?: string;
    }
  /** Pages without cookies send both to `POST oidc/exchange`. */
  | { status: 'code'; code: string; verifier: string }
  /** With 40112, send a factor to `POST login/factor` with the `challenge`. */
  | {
      status: 'failed';
      code: number;
      reason?: string;
      provider?: string;
      challenge?: string;
      factors?: string[];
    };

/** Logins with providers. */
export interface Oidc {
  /** Lists the providers of the application. */
  list: () => Promise<ListedProvider[]>;
  /** Goes to a provider to log in. */
  start: (name: string, options?: OidcStartOptions) => Promise<void>;
  /** Goes to a provider to link an identity to the user. @throws an error with the `code` and `reason` of a refusal */
  link: (name: string, options?: OidcOptions) => Promise<void>;
  /** Goes to a provider to confirm the login, after 40120 with `oidc` in `missing`. @throws like `link` */
  fresh: (name: string, options?: OidcOptions) => Promise<void>;
  /**
   * Reads the result of a login from the URL of the page, and removes it from there. Undefined if there is none. Tells the other
   * tabs about a login.
   */
  result: () => OidcResult | undefined;
  /** Logs out in all tabs, and goes to the provider if it can log the user out as well. @returns whether it does */
  logout: () => Promise<boolean>;
}

// The browser APIs that the client uses. The DOM library would also declare its globals for the server's code.
declare const location: { href: string; hash: string; assign(url: string): void };
declare const history: { state: unknown; replaceState(state: unknown, unused: string, url: string): void };
declare const sessionStorage: {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

const VERIFIER = 'kit-auth-oidc';
/** Set during a link or a re-authentication. */
const ASKING = 'kit-auth-oidc-asking';

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ '+': '-', '/': '_' })[sign] ?? '');

/** Remembers a verifier for `result()`. @returns its challenge */
async function newChallenge(): Promise<string> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.setItem(VERIFIER, verifier);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64url(new Uint8Array(digest));
}

/** Removes an entry. @returns what it was */
function taken(key: string): string | null {
  const value = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return value;
}

/** @throws an error with the members of the refusal */
async function answerOf(response: Response): Promise<unknown> {
  const body = (await response.json()) as { message?: string };
  if (!response.ok) throw Object.assign(new Error(body.message), body);
  return body;
}

/**
 * Logs users in with providers, in a page.
 *
 * @param baseUrl the base URL of the API, with a slash at the end. Default: `/`
 * @example
 * ```ts
 * const auth = createAuthClient(); // of kit-auth-browser/client
 * const oidc = createOidc(auth);
 * const result = oidc.result();
 * if (result?.status === 'failed') showError(result);
 * button.onclick = () => oidc.start('google', { remember: true });
 * ```
 */
export function createOidc(auth: OidcAuth, baseUrl = '/'): Oidc {
  const send = async (path: string, method: string, body?: object): Promise<unknown> =>
    answerOf(
      await auth.fetch(`v1/api/auth/${path}`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      }),
    );
  const go = async (path: string, options: OidcOptions = {}): Promise<void> => {
    const { url } = (await send(path, 'POST', { ...options, challenge: await newChallenge() })) as {
      url: string;
    };
    sessionStorage.setItem(ASKING, '1');
    location.assign(url);
  };
  return {
    list: () => send('oidc', 'GET') as Promise<ListedProvider[]>,
    start: async (name, options = {}) => {
      taken(ASKING);
      const query = new URLSearchParams({ challenge: await newChallenge() });
      for (const [key, value] of Object.entries(options)) query.set(key, String(value));
      location.assign(
        new URL(`v1/api/auth/oidc/${name}/start?${query.toString()}`, new URL(baseUrl, location.href)).href,
      );
    },
    link: (name, options) => go(`oidc/${name}/link`, options),
    fresh: (name, options) => go(`oidc/${name}/fresh`, options),
    result: () => {
      const fragment = new URLSearchParams(location.hash.slice(1));
      const status = fragment.get('kit-auth');
      const code = fragment.get('code');
      if (status === null && code === null) return undefined;
      history.replaceState(history.state, '', location.href.replace(/#.*/, ''));
      const verifier = taken(VERIFIER) ?? '';
      const asking = taken(ASKING);
      if (code !== null) return { status: 'code', code, verifier };
      if (status === 'ok') {
        if (!asking) auth.loggedIn?.();
        return { status };
      }
      const {
        token = '',
        provider,
        address,
        name,
        reason,
        challenge,
        factors,
      } = Object.fromEntries(fragment);
      if (status === 'complete') {
        return {
          status,
          token,
          verifier,
          ...(provider && { provider }),
          ...(address && { address }),
          ...(name && { name }),
        };
      }
      return {
        status: 'failed',
        code: Number(status),
        ...(reason && { reason }),
        ...(provider && { provider }),
        ...(challenge && { challenge }),
        ...(factors && { factors: factors.split(',') }),
      };
    },
    logout: async () => {
      const { url } = (await (auth.authenticate?.('oidc/logout', {}) ?? send('oidc/logout', 'POST', {}))) as {
        url?: string;
      };
      if (url) location.assign(url);
      return url !== undefined;
    },
  };
}
