/** The user of a login. */
export interface ClientUser {
  userId: number | string;
  username: string;
  nickname: string;
  superAdmin: boolean;
}

/** The answer to a login. It contains no token: the browser keeps tokens in cookies that scripts cannot read. */
export interface ClientLogin {
  user: ClientUser;
  /** End of the access token in seconds since 1970, if there are refresh tokens. */
  expiresAt?: number;
}

export interface LoginForm {
  username: string;
  password: string;
  /** Whether the user stays logged in when the browser is closed. */
  remember?: boolean;
}

/** The second step of a login that was refused with 40112. */
export interface FactorForm {
  /** The `challenge` of the refusal. */
  challenge: string;
  /** One of the `factors` of the refusal, such as `totp` or `recovery`. */
  factor: string;
  code: string;
  /** Same as in the first step. */
  remember?: boolean;
}

/** A code that confirms a login. */
export type FreshForm = Pick<FactorForm, 'factor' | 'code'>;

export interface AuthClientOptions {
  /**
   * The base URL of the API, with a slash at the end: `https://api.example.com/`, or `/shop/` with a global prefix.
   * Default: `/`. Relative URLs are resolved against it. If its origin differs from that of the page, `credentials` is
   * `include`.
   */
  baseUrl?: string;
  /**
   * The login is over. Called once for each login, in every tab.
   *
   * @param reason `logged-out`, or the `reason` of the refusal: `expired`, `idle`, `reused`, `kicked`...
   */
  onEnd?: (reason: string) => void;
  /** Another tab has logged in, perhaps as another user. Reload the user's data on the page. */
  onLogin?: () => void;
}

export interface AuthClient {
  /**
   * Like `fetch`. If the API refuses a request because of its token, the client refreshes and sends it once more,
   * unless its body is a stream. Requests to origins other than that of the API pass through.
   *
   * @throws the network error of the request or the refresh; AuthClientError if the refresh is refused, for example
   * with 50300, and with the code `LOGIN_CHANGED` if another tab has logged in meanwhile: the request is not sent for that
   * login
   */
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Logs in, or completes a login with a second factor.
   *
   * @throws AuthClientError for example with the code 40110: wrong username or password. With 40112, the user needs a
   * second factor: call `login()` with the `challenge` of the error and a code
   */
  login: (form: LoginForm | FactorForm) => Promise<ClientLogin>;
  /**
   * Calls an endpoint whose answer sets the cookies of a token: `login/...`, which begins a login, `oidc/logout`, which
   * ends it, or another one, such as `fresh`, which continues it. Refreshes as `fetch` does. `login()` and `fresh()` are made
   * of it. Keeps the tabs in step, which `fetch` would not.
   *
   * @param path relative to the endpoints of kit-auth, or with a slash in front the path of a login of your own
   * @throws AuthClientError
   * @example
   * ```ts
   * const { user } = await auth.authenticate('login/link/complete', { token });
   * await auth.authenticate('/account/login', { email, password });
   * ```
   */
  authenticate: <T = ClientLogin>(path: string, body: object) => Promise<T>;
  /**
   * Tells the other tabs of a login that did not go through the client, for example because the browser came back from a
   * provider with its cookies, or because it is an operation of GraphQL.
   */
  loggedIn: () => void;
  /** Tells this tab and the others of a logout that did not go through the client. */
  loggedOut: () => void;
  /**
   * Ends the login on the server, also if the access token has expired.
   *
   * @param path of a logout of your own, with a slash in front. Default: the endpoints of kit-auth
   * @throws AuthClientError, or the network error
   */
  logout: (path?: string) => Promise<void>;
  /**
   * Confirms the login with the password or a code, after a request was refused with 40120. Call `requireSameLogin()` before
   * you send that request again.
   *
   * @throws AuthClientError
   */
  fresh: (proof: string | FreshForm) => Promise<ClientLogin>;
  /**
   * Throws if another login than that of a refused request has begun since, for example while the user was asked for a
   * password. Otherwise, the request of one user would be sent again as another.
   *
   * @param refused the answer of `fetch()`, or the `response` of an AuthClientError
   * @throws AuthClientError with the code `LOGIN_CHANGED`
   * @example
   * ```ts
   * const refused = await remove(note); // with auth.fetch()
   * if (refused.status === 401 && (await refused.json()).code === 40120) {
   *   await auth.fresh(await askForPassword());
   *   auth.requireSameLogin(refused);
   *   await remove(note);
   * }
   * ```
   */
  requireSameLogin: (refused: Response) => void;
  /** The current user; undefined when logged out. @throws AuthClientError */
  me: () => Promise<ClientUser | undefined>;
  /**
   * Opens a WebSocket that stays connected as long as the login lasts. It connects again when the connection is lost, and
   * after a refresh when the server closes it with 4401. When the login is over, it stays closed, and `onEnd` is called. When
   * another login has begun, it stays closed once the connection is lost.
   *
   * @param url relative to `baseUrl`, or absolute. It must not contain a token: the browser sends the cookies
   * @throws SyntaxError for an invalid URL or protocol
   * @example
   * ```ts
   * const live = auth.socket('/live');
   * live.onopen = () => live.send('subscribe'); // also after it has connected again
   * live.onmessage = ({ data }) => show(data);
   * ```
   */
  socket: (url: string | URL, protocols?: string | string[]) => AuthSocket;
}

/** The part of a `WebSocket` that outlives its connections. */
export interface AuthSocket {
  /** Like `WebSocket.readyState`: 1 is open. It is 3 while it waits to connect again. */
  readonly readyState: number;
  /** Called each time it has connected. The `target` of the event is the `WebSocket`, for example for its `binaryType`. */
  onopen?: ((event: { readonly target: unknown }) => unknown) | null;
  onmessage?: ((event: { readonly data: unknown }) => unknown) | null;
  /** Called once, when it stays closed: after `close()`, after the login, or because the server does not want it. */
  onclose?: ((event: { readonly code: number; readonly reason: string }) => unknown) | null;
  /** Like `WebSocket.send()`. Data sent without a connection is lost. @throws InvalidStateError while it connects */
  send: (data: string | ArrayBuffer | ArrayBufferView | Blob) => void;
  close: (code?: number, reason?: string) => void;
}

/** A refusal or a failure of the server, with the members of a JSON body, and the whole answer. */
export interface AuthClientError extends Error {
  /** The error code of kit-auth. `LOGIN_CHANGED` if the request is not sent again, because another login has begun. */
  readonly code?: number | 'LOGIN_CHANGED';
  readonly reason?: string;
  /** The code is 40112. */
  readonly challenge?: string;
  readonly factors?: readonly string[];
  readonly response: Response;
}

type Body = Partial<ClientLogin & AuthClientError>;

// The browser APIs that the client uses. The DOM library would also declare its globals for the server's code.
declare const location: URL;
declare const localStorage: Record<string, string | undefined>;
declare const navigator: {
  readonly locks: {
    request<T>(name: string, options: { signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
  };
};
declare const WebSocket: new (url: string, protocols?: string | string[]) => AuthSocket;
declare function addEventListener(
  type: 'storage' | 'pageshow',
  listener: (event: { readonly persisted?: boolean }) => unknown,
): void;

/** Codes with which a server closes a WebSocket for good. The others are losses, and 4401, 4408 and 4429 of kit-auth. */
const FOR_GOOD = /^(1000|1005|4(?!401|408|429))/;

/** A connection that lasts longer has not been refused. */
const STABLE_MS = 10_000;

const timeout = (): AbortSignal => AbortSignal.timeout(10_000);
/** With this timeout, the last attempt begins within the default `graceSeconds` of the server, which is 30. */
const ATTEMPTS = 3;

/** True if there is no login, or nothing to refresh. */
const isGone = ({ status }: Response): boolean => [400, 401, 404].includes(status);

const bodyOf = (response: Response): Promise<Body> =>
  response
    .clone()
    .json()
    .catch(() => ({})) as Promise<Body>;

const checked = async <T>(answer: Response | Promise<Response>): Promise<T> => {
  const response = await answer;
  const body = await bodyOf(response);
  if (response.ok) return body as T;
  throw Object.assign(new Error(), body, { response });
};

/**
 * Creates the client of a page. The tabs of an origin share its state through `localStorage`, which contains no token.
 *
 * @example
 * ```ts
 * const auth = createAuthClient({ onEnd: (reason) => showLogin(reason) });
 * await auth.login({ username, password, remember: true });
 * const notes = await (await auth.fetch('/v1/notes')).json();
 * ```
 */
export function createAuthClient({ baseUrl = '/', onEnd, onLogin }: AuthClientOptions = {}): AuthClient {
  const base = new URL(baseUrl, location);
  const own: RequestInit = base.origin === location.origin ? {} : { credentials: 'include' };
  const key = `kit-auth ${baseUrl}`;
  let refreshing: Promise<boolean> | null | undefined;
  /** The logins of the requests that were answered. */
  const logins = new WeakMap<Response, number>();
  /** The user of a login, as far as this page knows. */
  let owner: [login?: number, userId?: ClientUser['userId']] = [];

  /**
   * State shared by all tabs: two random numbers, for the login and for the last refresh, or the reason why the login
   * is over. A refused request needs a refresh if the numbers have not changed since it was sent. Times would be
   * unreliable, because clocks can be set back.
   */
  const read = (): string => localStorage[key] ?? '';
  const isOver = (state: string): boolean => state > '9'; // it begins with a letter
  /** 0 if the cookies are older than the state. */
  const loginOf = (state: string): number => parseFloat(state) || 0;
  /** State this page has already handled. */
  let known = isOver(read()) ? '' : read();

  const write = (state: string): void => {
    known = localStorage[key] = state;
  };
  /** @param login that continues with a new token */
  const begin = (login = Math.random()): void => write(`${login} ${Math.random()}`);
  /** Notes the user of the login. @returns false for another user, whose state has not reached this tab yet */
  const isOf = (login: number, user?: ClientUser): boolean => {
    const isSame = !user || owner[0] !== login || owner[1] === user.userId;
    if (user) owner = [login, user.userId];
    return isSame;
  };
  const end = (reason = 'logged-out'): void => {
    if (!isOver(known)) {
      write(reason);
      onEnd?.(reason);
    }
  };
  const sync = (): void => {
    const state = read();
    if (isOver(state)) {
      end(state);
    } else {
      const isOther = state && (isOver(known) || loginOf(state) !== loginOf(known));
      known = state;
      if (isOther) onLogin?.();
    }
  };

  /** Runs the work while no other tab does. Waits at most ten seconds, because a sleeping tab may hold the lock. */
  const exclusively = async <T>(work: () => Promise<T>): Promise<T> => {
    let running: Promise<T> | undefined;
    try {
      return await navigator.locks.request(key, { signal: timeout() }, () => (running = work()));
    } catch {
      return running ?? work(); // also if the browser has no locks
    }
  };

  /** Calls an endpoint that sets or clears cookies. @param isEnd whether the login is over then */
  const post = async (path: string, body = {}, isEnd = /logout$/.test(path)): Promise<Response> => {
    const response = await fetch(new URL(path[0] === '/' ? path : `v1/api/auth/${path}`, base), {
      ...own,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: timeout(),
    });
    if (response.ok) {
      const { user } = await bodyOf(response);
      const isNew = /^(\/|login|oidc|register)/.test(path);
      const login = loginOf(read());
      if (isEnd) end();
      else if (!isNew && isOf(login, user)) begin(login);
      else {
        begin();
        isOf(loginOf(known), user);
        if (!isNew) onLogin?.();
      }
    }
    return response;
  };

  /** Resolves with true if there is a new token, and with false if the login is over. */
  const refresh = async (since: string, reason: string): Promise<boolean> => {
    for (let attempt = 1; read() === since; attempt++) {
      try {
        const response = await post('token/refresh');
        const why = isGone(response) && ((await bodyOf(response)).reason || reason);
        // Another tab may have a newer token, from `fresh()`.
        if (why && (why !== 'replaced' || attempt >= ATTEMPTS)) {
          end(why);
          return false;
        }
        await checked(response); // post() has changed what read() returns
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * 1000));
      }
    }
    return true;
  };

  const renew = (since: string, reason: string): Promise<boolean> =>
    (refreshing ??= exclusively(() => refresh(since, reason)).finally(() => (refreshing = null)));

  const requireSameLogin = (response: Response): void => {
    const code = 'LOGIN_CHANGED';
    if (logins.get(response) !== loginOf(read())) throw Object.assign(new Error(code), { code, response });
  };

  const guarded = async (request: () => Promise<Response>): Promise<Response> => {
    const since = read();
    const send = async (): Promise<Response> => {
      const response = await request();
      logins.set(response, loginOf(since));
      return response;
    };
    const response = await send();
    const { code, reason = 'expired' } = response.status === 401 ? await bodyOf(response) : {};
    // 40100: the browser has dropped the cookie of the access token. It may still have the one of the refresh token.
    if ((code !== 40101 && (code !== 40100 || !known)) || isOver(known)) return response;
    if (!(await renew(since, reason))) return response;
    requireSameLogin(response);
    return send();
  };

  const send: AuthClient['fetch'] = async (input, init) => {
    const request = new Request((input as Request).url ? input : new URL(input, base), init);
    if (!request.url.startsWith(base.origin + '/')) return fetch(request);
    if (init?.duplex) return fetch(request, own); // the body is a stream
    return guarded(() => fetch(request.clone(), own));
  };

  const authenticate: AuthClient['authenticate'] = (path, body) =>
    checked(guarded(() => exclusively(() => post(path, body))));

  const socket: AuthClient['socket'] = (url, protocols) => {
    let current: AuthSocket;
    let attempts = 0;
    let isClosed = false;
    let wake: ((value?: unknown) => void) | undefined;
    const login = loginOf(read());
    const isOn = (): boolean => !isClosed && !isOver(known) && loginOf(read()) === login;

    const connect = (): void => {
      const since = read();
      const begun = performance.now();
      current = new WebSocket(new URL(url, base).href.replace(/^http/, 'ws'), protocols);
      current.onopen = (event) => outer.onopen?.(event);
      current.onmessage = (event) => outer.onmessage?.(event);
      current.onclose = async (event) => {
        const { code, reason } = event;
        // Not when it opens: a server that refuses a login accepts the connection first.
        if (performance.now() - begun > STABLE_MS) attempts = 0;
        let isWanted = !FOR_GOOD.test(`${code}`);
        if (code === 4401 && isOn()) {
          // Without a reason there was no cookie, and perhaps there is no login.
          isWanted = !!(reason || known) && (await renew(since, reason || 'expired').catch(() => true));
        }
        if (isWanted && isOn()) {
          const delay = Math.min(1000 * 2 ** attempts++, 30_000) * (1 - Math.random() / 2);
          await new Promise((resolve) => setTimeout((wake = resolve), delay));
        }
        if (isWanted && isOn()) connect();
        else outer.onclose?.(event);
      };
    };
    const outer: AuthSocket = {
      get readyState() {
        return current.readyState;
      },
      send: (data) => current.send(data),
      close: (code, reason) => {
        isClosed = true;
        wake?.();
        current.close(code, reason);
      },
    };
    connect();
    return outer;
  };

  addEventListener('storage', sync);
  // A page that returns from the back/forward cache has missed the events of other tabs.
  addEventListener('pageshow', ({ persisted }) => persisted && sync());

  return {
    fetch: send,
    socket,
    authenticate,
    loggedIn: () => begin(),
    requireSameLogin,
    loggedOut: () => end(),
    login: (form) => authenticate((form as FactorForm).challenge ? 'login/factor' : 'login', form),
    fresh: (proof) =>
      authenticate('fresh', (proof as FreshForm).code ? (proof as FreshForm) : { password: proof }),
    logout: (path) =>
      exclusively(async () => {
        let response = await post(path ?? 'token/end', {}, true); // which needs no access token
        if (!path && isGone(response)) response = await post('logout');
        if (path || !isGone(response)) await checked(response);
        end();
      }),
    me: async () => {
      const response = await send('v1/api/auth/me');
      if (response.status === 401) return undefined;
      const user = await checked<ClientUser>(response);
      isOf(logins.get(response) as number, user);
      return user;
    },
  };
}
