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
  /** In ISO 8601, as the next one. */
  createdAt: string;
  lastUsedAt: string | null;
  /** Whether a copy exists, for example in the cloud of a password manager. */
  backedUp: boolean;
  /** `multi` if the passkey can be on several devices. */
  deviceType: 'single' | 'multi';
  transports: string[];
  /** How authenticators know the passkey. */
  signal: { rpId: string; userId: string; credentialId: string };
}

export interface RememberOptions {
  /** Whether the user stays logged in when the browser is closed. */
  remember?: boolean;
}

export interface AutofillOptions extends RememberOptions {
  /** The user has chosen a passkey, and is logged in. */
  onLogin: (login: PasskeyLogin) => void;
  /** An attempt has failed, for example with 40113 or without a network. Autofill goes on. */
  onError?: (error: unknown) => void;
}

export interface NewPasskeyOptions {
  /** Default: the name of the authenticator, if it is known. */
  name?: string;
  /** Whether all other logins of the user end. */
  endOthers?: boolean;
}

/**
 * What the user confirms with a fingerprint, a face or a PIN. Each promise resolves with `undefined` if the user cancels
 * or takes too long, and rejects with the `AuthClientError` of a refusal, a network error, or another error of
 * WebAuthn, such as `SecurityError` on a page that may not use these passkeys.
 */
export interface Passkeys {
  /** Whether the browser has passkeys. Without TLS it has none, except on localhost. */
  isSupported: () => boolean;
  /** Whether the browser offers passkeys in the field of the user name. */
  canAutofill: () => Promise<boolean>;
  /** Logs in. Call it when the user clicks a button. */
  login: (options?: RememberOptions) => Promise<PasskeyLogin | undefined>;
  /**
   * Offers passkeys in an input with `autocomplete="username webauthn"`, until a method of this object has succeeded or
   * the returned function is called. Call that when the user has logged in otherwise.
   */
  autofill: (options: AutofillOptions) => () => void;
  /** Completes a login that was refused with 40112. @param challenge that of the refusal */
  second: (challenge: string, options?: RememberOptions) => Promise<PasskeyLogin | undefined>;
  /** Confirms the login, after a request was refused with 40120. */
  confirm: () => Promise<PasskeyLogin | undefined>;
  /** The passkeys of the current user. Password managers learn which of theirs no longer work. */
  list: () => Promise<Passkey[]>;
  /** Adds a passkey, which needs a fresh login. @throws `InvalidStateError` if this authenticator has one of the user */
  add: (options?: NewPasskeyOptions) => Promise<Passkey | undefined>;
  /** Removes a passkey, also from the password manager. @param passkey of `list()` */
  remove: (
    passkey: Pick<Passkey, 'id' | 'signal'>,
    options?: Pick<NewPasskeyOptions, 'endOthers'>,
  ) => Promise<void>;
}

/** What createAuthClient() of kit-auth-browser returns. */
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

// The browser APIs that the client uses. The DOM library would also declare its globals for the server's code.
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

/** Tells password managers about passkeys, where the browser can. It ignores members that it does not need. */
const tell = (method: 'signalUnknownCredential' | 'signalAllAcceptedCredentials', about: object): void => {
  if (isSupported()) void PublicKeyCredential[method]?.(about).catch(() => undefined);
};

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0));

const URL_SAFE: Record<string, string> = { '+': '-', '/': '_' };
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+/=]/g, (sign) => URL_SAFE[sign] ?? '');

const withBytes = (named: { id: string }): object => ({ ...named, id: bytesOf(named.id) });

// Every browser can do this, unlike parseCreationOptionsFromJSON() and toJSON(), which some password managers break.
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
  /** Begins a round of autofill. Undefined while there is none. */
  let fill: (() => unknown) | undefined;
  /** Of the last ceremony. Browsers allow one at a time. */
  let running: AbortController | undefined;
  /** Whether the user has begun it. */
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

  /** @param path of the endpoint that completes the ceremony. Options are below it, and ignore what they do not need */
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
      // A timer of four minutes would stand still while the device sleeps.
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
      // While one is added, the list may lack what the authenticator already has, and would remove.
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
