import { hash, randomBytes } from 'node:crypto';
import { KitAuthEmailModule } from 'kit-auth-email';
import { KitAuthOidcModule, type KitAuthOidcOptions, type OidcProvider, UserIdentities } from 'kit-auth-oidc';
import { FakeProvider, type FakeUser, ProviderConnections } from 'kit-auth-oidc/testing';
import type { AuthUser } from 'kit-auth/typeorm';
import {
  type Answer,
  bodyOf,
  type TestApp,
  type TestAppOptions,
  totpCode,
  type UserFields,
} from 'test-support';
import { ProofApp } from '../account/proof.controller.js';
import { LINKS } from '../email/app.js';

/** Gives users addresses. */
export const ADDRESSES = KitAuthEmailModule.forRoot({
  links: LINKS,
  mailer: { send: () => Promise.resolve() },
});

export const MINUTE_MS = 60_000;
export const API = 'https://api.example.com';
/** A page of the API's own origin, which has cookies if the application has. */
export const PAGE = `${API}/app`;
/** An app with a scheme of its own. */
export const APP_URL = 'com.example.app:/login';

/** The provider of applications that need no real one. */
export const FAKE = new FakeProvider();
/** Its settings. */
export const TEST: OidcProvider = {
  name: 'test',
  title: 'Test',
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'the secret of the client 4711',
};

export interface OidcAppOptions extends TestAppOptions {
  /** Default for `providers`: `TEST`. */
  oidc?: Partial<KitAuthOidcOptions>;
  /** What stands for all providers. Default: `FAKE`. `false` for real ones. */
  connections?: FakeProvider | false;
}

/** An application whose users log in with providers. */
export class OidcApp extends ProofApp {
  constructor({ oidc, connections = FAKE, imports = [], ...options }: OidcAppOptions) {
    const given = { providers: [TEST], redirectBase: API, returnTo: [PAGE, APP_URL], ...oidc };
    const { providers: own = [], ...module } = KitAuthOidcModule.forRoot(given);
    const fake = { provide: ProviderConnections, useValue: connections };
    super(
      { admin: true, trustProxy: true, ...options },
      { imports: [...imports, { ...module, providers: [...own, ...(connections === false ? [] : [fake])] }] },
    );
  }

  /** A user with an identity at the provider `test`. */
  async linked(subject: string, fields?: UserFields): Promise<AuthUser> {
    const user = await this.user(fields);
    await this.get(UserIdentities).link(user.id, { provider: 'test', subject });
    return user;
  }

  /** Gives a user a second factor. @returns its secret, and a token of a login with it */
  async enrol(user: AuthUser): Promise<{ secret: string; token: string }> {
    const token = await this.tokenOf(user);
    const { id, secret } = (await this.call(token, 'POST', 'factors/totp', { name: 'Phone' })).json;
    const code = totpCode(secret, Date.now() - 30_000);
    const answer = await this.call(token, 'POST', `factors/totp/${id}/confirm`, { code });
    return { secret, token: bodyOf(answer).token };
  }

  /** Completes a login with a second factor. */
  showTotp(challenge: string | undefined, secret: string): Promise<Answer> {
    const body = { challenge, factor: 'totp', code: totpCode(secret) };
    return this.call(undefined, 'POST', 'login/factor', body);
  }

  exchange(token: string | undefined, exchanged: object): Promise<Answer> {
    return this.call(token, 'POST', 'oidc/exchange', exchanged);
  }

  /** Sends a logout token, as a provider does. */
  sendLogout(token: string, name = 'test', from?: string): Promise<Answer> {
    return this.request(`/v1/api/auth/oidc/${name}/backchannel-logout`, {
      method: 'POST',
      headers: [
        'Content-Type: application/x-www-form-urlencoded',
        ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
      ],
      body: new URLSearchParams({ logout_token: token }).toString(),
    });
  }
}

/** The verifier of an app, and its challenge. */
export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url') };
}

let browsers = 0;

/** A browser, as far as redirects and cookies go. */
export class TestBrowser {
  private readonly jars = new Map<string, Map<string, string>>();
  /** One of its own, because attempts are limited. */
  private readonly address = `X-Forwarded-For: 10.0.${++browsers >> 8}.${browsers & 255}`;

  constructor(readonly app: TestApp) {}

  /** The cookies for a host, as a header. */
  cookiesFor(url: string): string {
    return [...(this.jars.get(new URL(url).host) ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }

  private cookieLines(url: string): string[] {
    const cookie = this.cookiesFor(url);
    return cookie === '' ? [] : [`Cookie: ${cookie}`];
  }

  cookieNames(url: string): string[] {
    return [...(this.jars.get(new URL(url).host)?.keys() ?? [])];
  }

  setCookies(url: string, lines: readonly string[]): void {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1)];
      if (value === '' || attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) {
        jar.delete(name);
      } else {
        jar.set(name, value);
      }
    }
  }

  /** A navigation to the API. */
  async visit(
    url: string,
    { method = 'GET', headers = [] }: { method?: string; headers?: string[] } = {},
  ): Promise<Answer> {
    const { pathname, search } = new URL(url);
    const answer = await this.app.request(pathname + search, {
      method,
      headers: [this.address, 'Sec-Fetch-Site: cross-site', ...this.cookieLines(url), ...headers],
    });
    this.setCookies(url, answer.cookies);
    return answer;
  }

  /** The page of the API's own origin asks. */
  get(path: string): Promise<Answer> {
    return this.visit(`${API}/v1/${path}`, { headers: ['Sec-Fetch-Site: same-origin'] });
  }

  /** A request of a page of the API's own origin. */
  async post(path: string, json: unknown, token?: string): Promise<Answer> {
    const answer = await this.app.request(`/v1/api/auth/${path}`, {
      method: 'POST',
      json,
      token,
      headers: [this.address, 'Sec-Fetch-Site: same-origin', ...this.cookieLines(API)],
    });
    this.setCookies(API, answer.cookies);
    return answer;
  }

  /** Follows the redirects of a provider. @returns the first URL that is not the provider's */
  async through(url: string): Promise<string> {
    const { host } = new URL(url);
    let next = url;
    for (let hops = 0; new URL(next).host === host; hops++) {
      if (hops > 20) {
        throw new Error(`the provider redirects for ever, at last to ${next}`);
      }
      const response = await fetch(next, { redirect: 'manual', headers: { cookie: this.cookiesFor(next) } });
      this.setCookies(next, response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) {
        throw new Error(`the provider has answered with ${response.status}: ${await response.text()}`);
      }
      next = new URL(location, next).href;
    }
    return next;
  }

  /** Begins a login. @returns the URL of the provider */
  async start(name: string, query: Record<string, string> = {}): Promise<string> {
    const { status, headers, text } = await this.visit(
      `${API}/v1/api/auth/oidc/${name}/start?${new URLSearchParams(query).toString()}`,
      { headers: ['Accept: text/html'] },
    );
    if (status !== 302) {
      throw new Error(`the start was answered with ${status} ${text}`);
    }
    return headers['location'] as string;
  }

  /** Logs in with a provider. @returns the URL at which the login ends */
  async logIn(name: string, query: Record<string, string> = {}): Promise<URL> {
    return this.comeBack(await this.through(await this.start(name, query)));
  }

  /** Visits the callback. */
  async comeBack(callback: string): Promise<URL> {
    return endOf(await this.visit(callback));
  }

  /** Comes back from `FAKE`. @returns what the URL says at which the login ends */
  async comeBackAs(user: FakeUser, url: string): Promise<Record<string, string>> {
    return Object.fromEntries(fragmentOf(await this.comeBack(API + FAKE.logIn(url, user))));
  }

  /** Logs in with `FAKE`. @returns what the URL says at which the login ends */
  async logInAs(
    user: FakeUser,
    name = 'test',
    query?: Record<string, string>,
  ): Promise<Record<string, string>> {
    return this.comeBackAs(user, await this.start(name, query));
  }

  /** Logs in with `FAKE` as an app does. @returns what it exchanges */
  async codeFor(user: FakeUser): Promise<{ code: string; verifier: string }> {
    const { verifier, challenge } = newVerifier();
    const { code = '' } = await this.logInAs(user, 'test', { returnTo: APP_URL, challenge });
    return { code, verifier };
  }

  /** Logs in as an app does, with a code. */
  async logInApp(name: string): Promise<Answer> {
    const { verifier, challenge } = newVerifier();
    const end = await this.logIn(name, { returnTo: APP_URL, challenge });
    const code = fragmentOf(end).get('code');
    if (code === null) {
      throw new Error(`the login has ended at ${end.href}`);
    }
    return this.app.call(undefined, 'POST', 'oidc/exchange', { code, verifier });
  }
}

/** Where an answer sends the browser. */
export function endOf({ status, headers, text }: Answer): URL {
  const refreshed = /content="0; url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  const location = headers['location'] ?? refreshed;
  if (location === undefined) {
    throw new Error(`the callback was answered with ${status} ${text}`);
  }
  return new URL(location);
}

export function fragmentOf(url: URL): URLSearchParams {
  return new URLSearchParams(url.hash.slice(1));
}
