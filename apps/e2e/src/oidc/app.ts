import { hash, randomBytes } from 'node:crypto';
import { EventEmitterModule } from '@nestjs/event-emitter';
import type { AuthEvent } from 'kit-auth';
import { KitAuthOidcModule, type KitAuthOidcOptions, type OidcProvider } from 'kit-auth-oidc';
import { type Answer, EventListener, TestApp, type TestAppOptions } from 'test-support';
import { ProofController } from '../account/proof.controller.js';

export const MINUTE_MS = 60_000;
export const API = 'https://api.example.com';
/** A page of the API's own origin, which has cookies if the application has. */
export const PAGE = `${API}/app`;
/** An app with a scheme of its own. */
export const APP_URL = 'com.example.app:/login';

export interface OidcAppOptions extends TestAppOptions {
  oidc: Partial<KitAuthOidcOptions> & { providers: OidcProvider[] };
}

/** An application whose users log in with providers. */
export class OidcApp extends TestApp {
  constructor({ oidc, imports = [], providers = [], controllers = [], ...options }: OidcAppOptions) {
    super({
      admin: true,
      trustProxy: true,
      ...options,
      imports: [
        ...imports,
        KitAuthOidcModule.forRoot({ redirectBase: API, returnTo: [PAGE, APP_URL], ...oidc }),
        EventEmitterModule.forRoot({ wildcard: true }),
      ],
      controllers: [ProofController, ...controllers],
      providers: [EventListener, ...providers],
    });
  }

  /** The factors in the proof of a token. */
  async proofOf(token: string): Promise<Record<string, number>> {
    return (await this.request('/v1/proof', { token })).json;
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

  heard(type: string): AuthEvent[] {
    return this.get(EventListener).heard.filter((event) => event.type === type);
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
    const cookie = this.cookiesFor(url);
    const { pathname, search } = new URL(url);
    const answer = await this.app.request(pathname + search, {
      method,
      headers: [
        this.address,
        'Sec-Fetch-Site: cross-site',
        ...(cookie === '' ? [] : [`Cookie: ${cookie}`]),
        ...headers,
      ],
    });
    this.setCookies(url, answer.cookies);
    return answer;
  }

  /** A request of a page of the API's own origin. */
  async post(path: string, json: unknown, token?: string): Promise<Answer> {
    const cookie = this.cookiesFor(API);
    const answer = await this.app.request(`/v1/api/auth/${path}`, {
      method: 'POST',
      json,
      token,
      headers: [this.address, 'Sec-Fetch-Site: same-origin', ...(cookie === '' ? [] : [`Cookie: ${cookie}`])],
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
