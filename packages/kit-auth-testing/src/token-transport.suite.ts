import type { IncomingHttpHeaders } from 'node:http';
import type { TokenTransport, TransportExchange, TransportRequest } from 'kit-auth';
import {
  assertAccepted,
  assertAuthException,
  assertJson,
  assertSame,
  assertThat,
  shown,
} from './assertions.js';
import { testRunner } from './test-runner.js';

/** The capabilities of the transport. */
export interface TransportTraits {
  /** Whether the body of a login still contains the token when a browser logs in. Default `false`. */
  keepsTokenInBody?: boolean | undefined;
}

export interface TransportUnderTest {
  transport: TokenTransport;
  /**
   * The headers of a client's next request, from all headers of the answers before. By default the client is a browser:
   * it keeps cookies, and sends them back from a page of the same origin.
   */
  nextHeaders?: ((answered: readonly HeaderLine[]) => IncomingHttpHeaders) | undefined;
}

export type HeaderLine = readonly [name: string, value: string];

const HOST = 'app.example';
const TOKENS = [
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.0Kx4Zl3b0Y-_x',
  'kats_1_abcDEF-_.~+/0123456789==',
  'x',
  'A'.repeat(2000),
];
const USER = { userId: 7 as never, username: 'ada', nickname: 'Ada', superAdmin: false };
const JUNK_VALUES = [
  '',
  ' ',
  '"',
  '""',
  '%',
  '%E0%A4%A',
  '%00',
  '\0',
  '\u00ff',
  'a b',
  '__proto__',
  'x'.repeat(16_000),
];

/**
 * Defines the tests that every `TokenTransport` has to pass.
 *
 * @param underTest returns the transport, ready to use. It is called in tests, not before.
 * @example
 * ```ts
 * describeTokenTransport('cookies', {}, () => ({ transport: new CookieTransport() }));
 * ```
 */
export function describeTokenTransport(
  name: string,
  { keepsTokenInBody = false }: TransportTraits,
  underTest: () => TransportUnderTest,
): void {
  const { describe, it } = testRunner();
  const read = (headers: IncomingHttpHeaders, method = 'GET') =>
    underTest().transport.read(requestWith(headers, method));
  const afterLogin = async (token: string) => {
    const client = new Client(underTest());
    const body = await underTest().transport.write({ token, user: USER }, client);
    return { client, body };
  };
  /** Headers with the token, split so that a test can corrupt them. */
  const headersWith = async (token: string) => (await afterLogin(token)).client.headers();

  describe(`the token transport ${name}`, () => {
    it('reads the token that it wrote', async () => {
      for (const token of TOKENS) {
        for (const method of ['GET', 'POST']) {
          assertSame(
            read(await headersWith(token), method),
            token,
            `the token that read() returns for ${method} after write()`,
          );
        }
      }
    });

    it('reads the last token after two logins', async () => {
      const { client } = await afterLogin('first');
      await underTest().transport.write({ token: 'second', user: USER }, client);
      assertSame(
        read(client.headers()),
        'second',
        "the token that read() returns after write() of 'first' and 'second'",
      );
    });

    it('returns a body with the user, and nothing that JSON cannot carry', async () => {
      const { body } = await afterLogin(TOKENS[0] as string);
      assertSame((body as { user?: unknown }).user, USER, 'the user in the body that write() returns');
      assertJson(body, 'the body that write() returns');
    });

    it(keepsTokenInBody ? 'leaves the token in the body' : 'removes the token from the body', async () => {
      for (const token of TOKENS.slice(0, 2)) {
        const { body } = await afterLogin(token);
        assertInBody(body, token, keepsTokenInBody);
      }
    });

    it('reads nothing after it has cleared the token', async () => {
      const { client } = await afterLogin('token');
      underTest().transport.clear(client);
      assertSame(read(client.headers()), undefined, 'what read() returns after clear()');
      underTest().transport.clear(client);
      assertSame(read(client.headers()), undefined, 'what read() returns after a second clear()');
    });

    it('reads the refresh token that it wrote, where it carries refresh tokens', async () => {
      const { transport } = underTest();
      if (transport.readRefreshToken === undefined) {
        return;
      }
      const client = new Client(underTest());
      const readRefreshToken = () => transport.readRefreshToken?.(requestWith(client.headers(), 'POST'));
      await transport.write({ token: 'token', user: USER }, client);
      assertSame(
        readRefreshToken(),
        undefined,
        'what readRefreshToken() returns after write() of a token only',
      );
      for (const refreshToken of ['first', 'katr_second-_.~+/==']) {
        const body = await transport.write({ token: 'token', user: USER, refreshToken }, client);
        assertInBody(body, refreshToken, keepsTokenInBody);
        assertSame(readRefreshToken(), refreshToken, 'what readRefreshToken() returns after write()');
        assertSame(read(client.headers()), 'token', 'what read() returns after write() of both tokens');
      }
      transport.clear(client);
      assertSame(readRefreshToken(), undefined, 'what readRefreshToken() returns after clear()');
    });

    it('admits logins of its own pages and of other clients', async () => {
      const { transport } = underTest();
      for (const headers of [
        {},
        PAGE,
        { ...PAGE, 'content-type': 'text/plain' },
        await headersWith('token'),
      ]) {
        const names = Object.keys(headers).join(', ') || 'none';
        await assertAccepted(
          () => transport.admit?.(requestWith(headers, 'POST')),
          `a POST of the same origin or of no browser, with these headers: ${names},`,
        );
      }
    });

    it('leaves the cookies of the application alone', async () => {
      const { transport } = underTest();
      const client = new Client(underTest());
      client.appendHeader('Set-Cookie', 'own=1; Path=/');
      await transport.write({ token: 'token', user: USER }, client);
      transport.clear(client);
      assertThat(
        client.answered.some(([, value]) => value === 'own=1; Path=/'),
        'expected write() and clear() to leave a Set-Cookie of the application alone, but it is gone: add yours with ' +
          'appendHeader(), because setHeader() replaces all of them',
      );
    });

    it('reads nothing where there is nothing', async () => {
      for (const headers of [{}, { cookie: '' }, { cookie: 'own=1; other=2' }]) {
        assertSame(
          read(headers),
          undefined,
          `what read() returns for the headers ${JSON.stringify(headers)}`,
        );
      }
    });

    it('writes no header that carries another', async () => {
      const { client } = await afterLogin(TOKENS[1] as string);
      underTest().transport.clear(client);
      for (const [header, value] of client.answered) {
        assertThat(
          /^[\w-]+$/.test(header) && !/[\r\n\0]/.test(value),
          'expected headers whose names have letters, digits and "-" only, and whose values have no line breaks, but ' +
            `write() or clear() set ${shown(header)}: ${shown(value)}`,
        );
      }
    });

    it('reads or refuses junk, and throws nothing but an AuthException', async () => {
      const proper = await headersWith('token');
      for (const [header, value] of Object.entries(proper) as [string, string][]) {
        const cookie = value.split('=')[0] ?? '';
        const other = String((await headersWith('other'))[header]);
        for (const text of [
          `${value}; ${value}`,
          `${value}; ${other}`,
          `${other}; ${value}`,
          `${value}, ${other}`,
          `${value};`,
          ...JUNK_VALUES,
          ...JUNK_VALUES.map((junk) => `${cookie}=${junk}`),
          cookie,
          `${cookie}=`,
          `=${cookie}`,
          ';',
          '=;=',
          `${cookie}==`,
          `"${value}"`,
          value.toUpperCase(),
        ]) {
          for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
            const what = `a ${method} with the header ${header}: ${JSON.stringify(text.slice(0, 80))}`;
            assertReadsOrRefuses(() => read({ ...proper, [header]: text }, method), what);
          }
        }
      }
    });

    it('reads or refuses requests of other sites, and throws nothing but an AuthException', async () => {
      const proper = await headersWith('token');
      for (const site of [undefined, 'same-origin', 'same-site', 'cross-site', 'none', 'junk', '']) {
        for (const origin of [undefined, `https://${HOST}`, 'https://evil.example', 'null', '', 'http://[']) {
          for (const method of ['GET', 'POST']) {
            const headers = { ...proper, 'sec-fetch-site': site, origin };
            const what = `a ${method} with Sec-Fetch-Site ${shown(site)} and Origin ${shown(origin)}`;
            const request = requestWith(headers, method);
            assertReadsOrRefuses(() => underTest().transport.read(request), what);
            assertReadsOrRefuses(() => underTest().transport.readRefreshToken?.(request), what);
            assertReadsOrRefuses(() => underTest().transport.admit?.(request), what);
          }
        }
      }
    });
  });
}

function assertInBody(body: unknown, token: string, isExpected: boolean): void {
  assertThat(
    JSON.stringify(body).includes(token) === isExpected,
    isExpected
      ? 'expected the body that write() returns to contain the token, as the trait keepsTokenInBody says, but it does not'
      : 'expected write() to remove the token from the body that it returns, but the body contains it',
  );
}

function assertReadsOrRefuses(call: () => unknown, what: string): void {
  let token: unknown;
  try {
    token = call();
  } catch (error) {
    assertAuthException(error, what);
    return;
  }
  assertThat(
    token === undefined || typeof token === 'string',
    `expected a token or undefined for ${what}, but it is ${shown(token)}`,
  );
}

function requestWith(headers: IncomingHttpHeaders, method = 'GET'): TransportRequest {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, String(value)],
  );
  return { method, url: '/v1/notes', headers, rawHeaders, host: HOST, protocol: 'https', body: undefined };
}

const PAGE = { host: HOST, origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin' } as const;

/** A client that logs in and stays logged in. */
class Client implements TransportExchange {
  readonly request = requestWith({ ...PAGE, 'content-type': 'application/json' }, 'POST');
  answered: HeaderLine[] = [];

  constructor(private readonly underTest: TransportUnderTest) {}

  setHeader(name: string, value: string): void {
    this.answered = this.answered.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
    this.appendHeader(name, value);
  }

  appendHeader(name: string, value: string): void {
    this.answered.push([name, value]);
  }

  headers(): IncomingHttpHeaders {
    return this.underTest.nextHeaders?.(this.answered) ?? { ...PAGE, ...cookiesOf(this.answered) };
  }
}

/** Keeps cookies as a browser does, without paths and domains. */
function cookiesOf(answered: readonly HeaderLine[]): { cookie?: string } {
  const cookies = new Map<string, string>();
  for (const [name, line] of answered) {
    if (name.toLowerCase() === 'set-cookie') {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const cookie = pair.slice(0, pair.indexOf('='));
      cookies.set(cookie, pair);
      if (attributes.some(isOver)) {
        cookies.delete(cookie);
      }
    }
  }
  return cookies.size === 0 ? {} : { cookie: [...cookies.values()].join('; ') };
}

function isOver(attribute: string): boolean {
  const [, age] = /^max-age=(-?\d+)$/i.exec(attribute) ?? [];
  const [, date] = /^expires=(.+)$/i.exec(attribute) ?? [];
  return (age !== undefined && Number(age) <= 0) || (date !== undefined && Date.parse(date) <= Date.now());
}
