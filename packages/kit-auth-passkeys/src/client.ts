/** The user of a login. */
export interface PasskeyUser {
  userId: number | string;
  username: string;
  nickname: string;
  superAdmin: boolean;
}

/** The answer to a login. It contains no token: the browser keeps tokens in cookies. */
export interface PasskeyLogin {
  user: PasskeyUser;
  /** End of the access token in seconds since 1970, if there are refresh tokens. */
  expiresAt?: number;
}

/** A passkey of the current user. */
export interface Passkey {
  id: string;
  /** The name that the user chose, or that of the authenticator. */
  name: string;
  /** ISO 8601, like `lastUsedAt`. */
  createdAt: string;
  lastUsedAt: string | null;
  /** A copy exists, for example in the cloud of a password manager. */
  backedUp: boolean;
  /** `multi` if the passkey can be on several devices. */
  deviceType: 'single' | 'multi';
  transports: string[];
  /** Arguments of `PublicKeyCredential.signal...()`. */
  signal: { rpId: string; userId: string; credentialId: string };
}

export interface RememberOptions {
  /** Keeps the user logged in after the browser is closed. */
  remember?: boolean;
}

export interface AutofillOptions extends RememberOptions {
  /** The user has chosen a passkey, and is logged in. */
  onLogin: (login: PasskeyLogin) => void;
  /** A login failed, for example with 40113 or without a network. Autofill continues. */
  onError?: (error: unknown) => void;
}

export interface NewPasskeyOptions {
  /** Default: the name of the authenticator, if it is known. */
  name?: string;
  /** Ends all other logins of the user. */
  endOthers?: boolean;
}

/**
 * The passkeys of a page. A promise resolves with `undefined` if the user cancels or takes too long. It rejects with the
 * `AuthClientError` of a refusal, a network error, or another error of WebAuthn, for example `SecurityError` on a page that
 * may not use these passkeys.
 */
export interface Passkeys {
  /** Tells whether the browser has passkeys. Without TLS it has none, except on localhost. */
  isSupported: () => boolean;
  /** Tells whether the browser offers passkeys in the field of the user name. */
  canAutofill: () => Promise<boolean>;
  /** Logs in. Call it when the user clicks a button. */
  login: (options?: RememberOptions) => Promise<PasskeyLogin | undefined>;
  /**
   * Offers passkeys in an input with `autocomplete="username webauthn"`, until a method of this object has succeeded or
   * the returned function is called. Call it when the user has logged in with a password.
   */
  autofill: (options: AutofillOptions) => () => void;
  /** Sends the second step of a login that was refused with 40112. @param challenge of the refusal */
  second: (challenge: string, options?: RememberOptions) => Promise<PasskeyLogin | undefined>;
  /** Confirms the login, after a request was refused with 40120. */
  confirm: () => Promise<PasskeyLogin | undefined>;
  /** Lists the passkeys of the current user, and tells password managers which passkeys no longer work. */
  list: () => Promise<Passkey[]>;
  /** Adds a passkey. Needs a fresh login. @throws `InvalidStateError` if this authenticator has a passkey of the user */
  add: (options?: NewPasskeyOptions) => Promise<Passkey | undefined>;
  /** Removes a passkey, also from the password manager. @param passkey of `list()` */
  remove: (
    passkey: Pick<Passkey, 'id' | 'signal'>,
    options?: Pick<NewPasskeyOptions, 'endOthers'>,
  ) => Promise<void>;
}

/** The result of `createAuthClient()` of kit-auth-browser. */
export interface PasskeyAuth {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  authenticate: <T>(path: string, body: object) => Promise<T>;
}

/** The options of the server, as JSON. */
interface Options {
  challenge: string;
  user?: { id: string };
  allowCredentials?: { id: string }[];
  excludeCredentials?: { id: string }[];
}
interface Ceremony {
  ceremony: string;
  options: Options;
}
interface Credential {
  readonly id: string;
  readonly rawId: ArrayBuffer;
  readonly type: string;
  readonly response: { getTransports?(): string[] };
  getClientExtensionResults(): object;
}

// Browser APIs. The DOM library would also declare its globals for the server's code.
declare const navigator: {
  readonly credentials: Record<'get' | 'create', (options: object) => Promise<Credential>>;
};
declare const document: {
  readonly hidden: boolean;
  addEventListener(type: 'visibilitychange', listener: () => unknown, options: { once: true }): void;
};
declare const PublicKeyCredential: {
  isConditionalMediationAvailable?(): Promise<boolean>;
  signalUnknownCredential?(options: object): Promise<void>;
  signalAllAcceptedCredentials?(options: object): Promise<void>;
};

const FACTOR = { factor: 'passkey' };
/** Ceremonies of the server end after 5 minutes. */
const RENEW_MS = 4 * 60_000;

const isSupported = (): boolean => 'PublicKeyCredential' in globalThis;

/** Tells password managers about passkeys, if the browser can. It ignores unknown members. */
const tell = (method: 'signalUnknownCredential' | 'signalAllAcceptedCredentials', about: object): void => {
  if (isSupported()) void PublicKeyCredential[method]?.(about).catch(() => undefined);
};

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0));

const URL_SAFE: Record<string, string> = { '+': '-', '/': '_' };
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (sign) => URL_SAFE[sign] ?? '');

const withBytes = (named: { id: string }): object => ({ ...named, id: bytesOf(named.id) });

// Not parseCreationOptionsFromJSON() and toJSON(): some browsers lack them, and some password managers break them.
const decoded = (options: Options): object => ({
  ...options,
  challenge: bytesOf(options.challenge),
  user: options.user && withBytes(options.user),
  allowCredentials: options.allowCredentials?.map(withBytes),
  excludeCredentials: options.excludeCredentials?.map(withBytes),
});

const encoded = (credential: Credential): object => {
  const { id, type, rawId, response } = credential;
  const answer: Record<string, unknown> = { transports: response.getTransports?.() };
  for (const name in response) {
    const value = (response as Record<string, unknown>)[name];
    if (value instanceof ArrayBuffer) answer[name] = textOf(value);
  }
  return {
    id,
    type,
    rawId: textOf(rawId),
    response: answer,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
};

/**
 * Creates the passkeys of a page.
 *
 * @param auth the client of `kit-auth-browser`
 * @example
 * ```ts
 * const passkeys = createPasskeys(createAuthClient());
 * const stop = passkeys.autofill({ onLogin: showNotes });
 * button.onclick = async () => {
 *   const login = await passkeys.login();
 *   if (login) showNotes(login);
 * };
 * ```
 */
export function createPasskeys(auth: PasskeyAuth): Passkeys {
  /** Begins a round of autofill. Undefined without autofill. */
  let fill: (() => unknown) | undefined;
  /** Aborts the last ceremony. Browsers allow one at a time. */
  let running: AbortController | undefined;
  /** The user has begun the last ceremony with a click. */
  let isAsking = false;

  /** Ends the running ceremony. */
  const begin = (): AbortController => {
    running?.abort();
    return (running = new AbortController());
  };

  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await auth.fetch(`v1/api/auth/${path}`, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const answer = (await response
      .clone()
      .json()
      .catch(() => ({}))) as T;
    if (response.ok) return answer;
    throw Object.assign(new Error(), answer, { response });
  };

  /** @param path of the endpoint for the response. The endpoint for options is below it, and ignores unknown members */
  const perform = async <T>(path: string, body: object, asked: object): Promise<T | undefined> => {
    const { ceremony, options } = await call<Ceremony>('POST', `${path}/options`, body);
    let credential;
    try {
      credential = await navigator.credentials[options.user ? 'create' : 'get']({
        publicKey: decoded(options),
        ...asked,
      });
    } catch (error) {
      if (/^(Abort|NotAllowed)Error$/.test((error as Error).name)) return undefined;
      throw error;
    }
    return auth.authenticate(path, { ...body, ceremony, response: encoded(credential) });
  };

  const ask = async <T>(path: string, body: object = {}): Promise<T | undefined> => {
    const { signal } = begin();
    isAsking = true;
    try {
      const answer = await perform<T>(path, body, { signal });
      if (answer) fill = undefined;
      return answer;
    } finally {
      if (!signal.aborted) {
        isAsking = false;
        fill?.();
      }
    }
  };

  const canAutofill = async (): Promise<boolean> =>
    isSupported() && !!(await PublicKeyCredential.isConditionalMediationAvailable?.());

  const autofill: Passkeys['autofill'] = ({ onLogin, onError, ...body }) => {
    let failures = 0;
    const again = async (): Promise<void> => {
      const own = begin();
      const { signal } = own;
      if (!(await canAutofill())) return;
      const renewAt = Date.now() + RENEW_MS;
      // A timer of four minutes stops while the device sleeps.
      const renewal = setInterval(() => Date.now() < renewAt || own.abort(), 5000);
      let login;
      try {
        login = await perform<PasskeyLogin>('login/passkey', body, { signal, mediation: 'conditional' });
      } catch (error) {
        onError?.(error);
      }
      clearInterval(renewal);
      if (login) {
        fill = undefined; // so that `next()` does nothing
        onLogin(login);
      }
      failures = signal.aborted ? 0 : failures + 1;
      const next = (): void => {
        if (fill !== again || running !== own) return;
        if (document.hidden) document.addEventListener('visibilitychange', next, { once: true });
        else void again();
      };
      setTimeout(next, failures && Math.min(1000 * 2 ** failures, RENEW_MS));
    };
    fill = again;
    if (!isAsking) void again();
    return () => {
      if (fill === again) {
        fill = undefined;
        if (!isAsking) running?.abort();
      }
    };
  };

  return {
    isSupported,
    canAutofill,
    autofill,
    login: (options) => ask('login/passkey', options),
    second: (challenge, options) => ask('login/factor', { ...options, ...FACTOR, challenge }),
    confirm: () => ask('fresh', FACTOR),
    add: (options) => ask('passkeys', options),
    list: async () => {
      const before = isAsking || running;
      const passkeys = await call<Passkey[]>('GET', 'passkeys');
      // While a passkey is added, the list may lack it, and the authenticator would remove it.
      if (passkeys[0] && running === before) {
        tell('signalAllAcceptedCredentials', {
          ...passkeys[0].signal,
          allAcceptedCredentialIds: passkeys.map(({ signal }) => signal.credentialId),
        });
      }
      return passkeys;
    },
    remove: async ({ id, signal }, { endOthers = false } = {}) => {
      await call('DELETE', `passkeys/${id}${endOthers ? '?endOthers=true' : ''}`);
      tell('signalUnknownCredential', signal);
    },
  };
}
