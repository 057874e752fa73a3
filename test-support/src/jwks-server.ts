import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Issuer } from 'kit-auth-issuers';
import { publicJwkOf, type SignatureAlgorithm, signWith } from 'kit-auth/tools';
import { LocalServer } from './local-server.js';

/** The `aud` of tokens for the application under test. */
export const AUDIENCE = 'notes-api';
export const JWKS_PATH = '/jwks';

export type Json = Readonly<Record<string, unknown>>;

/** How a token differs from an honest one. Undefined leaves a member out. A string is used as it is. */
export interface TokenParts {
  readonly header?: Json | string;
  readonly claims?: Json | string;
  /** Default: the first key of the issuer. */
  readonly key?: IssuerKey;
  /** Signs instead of the key. */
  readonly sign?: (input: string) => Buffer;
}

/** A key of an issuer, published or not. */
export class IssuerKey {
  readonly privateKey: KeyObject;

  constructor(
    readonly kid: string | undefined,
    readonly alg: SignatureAlgorithm = 'ES256',
    pair: { readonly privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ) {
    this.privateKey = pair.privateKey;
  }

  /** As issuers publish it. */
  get jwk(): Json {
    return { ...publicJwkOf(this.privateKey), kid: this.kid, alg: this.alg, use: 'sig' };
  }

  sign(input: string): Buffer {
    return signWith(this.alg, this.privateKey, input);
  }
}

/** An issuer that publishes whatever a test wants, and signs whatever it wants. */
export class JwksServer extends LocalServer {
  readonly key = new IssuerKey('one');
  /** What it publishes. */
  keys: readonly unknown[] = [];
  cacheControl: string | undefined;
  /** Members of the discovery document that differ. */
  metadata: Json = {};
  /** How many bytes it has sent without an end. */
  sent = 0;

  /** @param path of the issuer, such as `/realms/one` */
  constructor(private readonly path = '') {
    super();
    this.reset();
  }

  override reset(): void {
    super.reset();
    this.keys = [this.key.jwk];
    this.cacheControl = undefined;
    this.metadata = {};
    this.sent = 0;
  }

  get issuer(): string {
    return this.origin + this.path;
  }

  /** How often the keys were fetched. */
  get fetches(): number {
    return this.calls[JWKS_PATH] ?? 0;
  }

  /** For the option `issuers`. The issuer is known once the server has started. */
  settings(more: Partial<Issuer> & Pick<Issuer, 'user'>): Issuer {
    const issuerOf = () => this.issuer;
    return {
      audience: AUDIENCE,
      get issuer() {
        return issuerOf();
      },
      ...more,
    };
  }

  /** The claims of an honest token. */
  honest(): Json {
    const now = Math.floor(Date.now() / 1000);
    return { iss: this.issuer, aud: AUDIENCE, sub: 'ada', iat: now, exp: now + 300, jti: randomUUID() };
  }

  token({
    header = {},
    claims = {},
    key = this.key,
    sign = (input) => key.sign(input),
  }: TokenParts = {}): string {
    const input = [
      typeof header === 'string'
        ? header
        : JSON.stringify({ alg: key.alg, typ: 'at+jwt', kid: key.kid, ...header }),
      typeof claims === 'string' ? claims : JSON.stringify({ ...this.honest(), ...claims }),
    ]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    return `${input}.${sign(input).toString('base64url')}`;
  }

  /** Answers with this instead of the keys. */
  answersWith(status: number, body = '', headers: Readonly<Record<string, string>> = {}): void {
    this.handlers[JWKS_PATH] = (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    };
  }

  /** Answers with a key set that has no end, as it is or as one of 1 GB that a client unpacks. */
  streams({ packed }: { readonly packed: boolean }): void {
    this.handlers[JWKS_PATH] = (_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(packed && { 'content-encoding': 'gzip' }),
      });
      const sink = packed ? createGzip() : response;
      if (sink !== response) {
        sink.pipe(response);
      }
      const chunk = Buffer.alloc(65_536, ' ');
      const more = (): void => {
        while (!response.destroyed && this.sent < 2 ** 30) {
          this.sent += chunk.length;
          if (!sink.write(chunk)) {
            sink.once('drain', more);
            return;
          }
        }
        sink.end();
      };
      more();
    };
  }

  protected override headers(): Readonly<Record<string, string>> {
    return this.cacheControl === undefined ? {} : { 'cache-control': this.cacheControl };
  }

  protected override bodyOf(path: string): Json | undefined {
    switch (path) {
      case `${this.path}/.well-known/openid-configuration`:
        return { issuer: this.issuer, jwks_uri: this.origin + JWKS_PATH, ...this.metadata };
      case JWKS_PATH:
        return { keys: this.keys };
      default:
        return undefined;
    }
  }
}

/** For the body of a `describe`. What it does is forgotten after each test. */
export function sharedJwksServer(path?: string): JwksServer {
  const server = new JwksServer(path);
  beforeAll(() => server.start());
  beforeEach(() => server.reset());
  afterAll(() => server.stop());
  return server;
}
