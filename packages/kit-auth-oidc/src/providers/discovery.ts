import { types } from 'node:util';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { describeError, plainText, secureFetch } from 'kit-auth/tools';
import { unavailable } from 'kit-auth/feature';
import type * as openid from 'openid-client';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { oidcOptions, type ResolvedOidcOptions } from '../oidc.options.js';
import type { ProviderSettings } from './providers.js';

type OpenIdClient = typeof openid;
type SigningKey = Parameters<OpenIdClient['PrivateKeyJwt']>[0];

const HOUR_MS = 60 * 60 * 1000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** The discovery of a provider. */
interface Discovered {
  config?: Configuration;
  /** The time of the next discovery. */
  until: number;
  pauseMs: number;
  asking?: Promise<Configuration> | undefined;
}

/** Loaded with the first login: the library has no build that CommonJS loads everywhere. */
let library: Promise<OpenIdClient> | undefined;

export function openIdClient(): Promise<OpenIdClient> {
  return (library ??= import('openid-client'));
}

/**
 * Reads the discovery documents of the providers: with the first login, and again after an hour. After a failure, it waits for a
 * second, then two, and so on up to a minute.
 */
@Injectable()
export class Discovery {
  private readonly logger = new Logger('KitAuth');
  private readonly known = new Map<string, Discovered>();
  private readonly timeoutSeconds: number;

  constructor(@Inject(oidcOptions.token) { settings }: ResolvedOidcOptions) {
    this.timeoutSeconds = settings.timeoutMs / 1000;
  }

  /** @throws AuthException 50300 */
  async of(provider: ProviderSettings): Promise<Configuration> {
    const known = this.known.get(provider.name) ?? { until: 0, pauseMs: FIRST_PAUSE_MS };
    this.known.set(provider.name, known);
    if (known.until > Date.now()) {
      return known.config ?? refuse();
    }
    known.asking ??= this.ask(provider, known).finally(() => (known.asking = undefined));
    return known.asking;
  }

  private async ask(provider: ProviderSettings, known: Discovered): Promise<Configuration> {
    try {
      known.config = await this.configure(provider);
      known.until = Date.now() + HOUR_MS;
      known.pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      this.logger.error(`[oidc] the discovery of ${provider.name} failed: ${reasonOf(error, provider)}`);
      known.until = Date.now() + known.pauseMs;
      known.pauseMs = Math.min(known.pauseMs * 2, LONGEST_PAUSE_MS);
    }
    // A stale document is used while the provider does not answer.
    return known.config ?? refuse();
  }

  private async configure(provider: ProviderSettings): Promise<Configuration> {
    const client = await openIdClient();
    const { issuer, clientId, oauth2 } = provider;
    const authentication = await authenticationOf(client, provider);
    // Only for localhost: see `urlProblem`.
    const allowsHttp = new URL(issuer).protocol === 'http:';
    if (oauth2 !== undefined) {
      const { authorization: authorization_endpoint, token: token_endpoint } = oauth2;
      const server = { issuer, authorization_endpoint, token_endpoint };
      const config = new client.Configuration(server, clientId, undefined, authentication);
      config.timeout = this.timeoutSeconds;
      config[client.customFetch] = secureFetch as CustomFetch;
      if (allowsHttp) {
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated only to make it stand out
        client.allowInsecureRequests(config);
      }
      return config;
    }
    const config = await client.discovery(new URL(issuer), clientId, undefined, authentication, {
      timeout: this.timeoutSeconds,
      [client.customFetch]: secureFetch as CustomFetch,
      // Signatures are checked although the token endpoint sends the ID token: TLS may end at a proxy.
      execute: [
        client.enableNonRepudiationChecks,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated only to make it stand out
        ...(allowsHttp ? [client.allowInsecureRequests] : []),
      ],
    });
    const { issuer: given } = config.serverMetadata();
    if (given !== issuer) {
      throw otherIssuer(issuer, given);
    }
    return config;
  }
}

/** @param given the issuer of the discovery document */
function otherIssuer(issuer: string, given: string): Error {
  return new Error(
    `the issuer of the discovery document is "${plainText(given)}", but that of the options is "${plainText(issuer)}"`,
  );
}

/** Describes a failure. The library keeps the reason in `cause`. */
function reasonOf(error: unknown, { issuer }: ProviderSettings): string {
  const { cause } = error as { cause?: { attribute?: 'issuer'; body: { issuer: string } } };
  if (cause?.attribute === 'issuer') {
    return describeError(otherIssuer(issuer, cause.body.issuer));
  }
  const why = causeOf(error) ?? (cause === undefined ? undefined : describeError(cause));
  return why === undefined ? describeError(error) : `${describeError(error)} (${why})`;
}

/** Finds the status or the error code of a failed call to a provider. Neither is text of the provider. */
export function causeOf(error: unknown): string | undefined {
  const { cause } = error as Error;
  if (cause instanceof Response) {
    return `status ${cause.status}`;
  }
  if (!types.isNativeError(cause)) {
    return undefined;
  }
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : causeOf(cause);
}

function refuse(): never {
  throw unavailable(undefined);
}

async function authenticationOf(
  client: OpenIdClient,
  { authMethod, clientSecret, privateKey }: ProviderSettings,
): Promise<ClientAuth> {
  switch (authMethod) {
    case 'client_secret_post':
      return client.ClientSecretPost(clientSecret);
    case 'private_key_jwt':
      return client.PrivateKeyJwt(await signingKeyOf(privateKey as NonNullable<typeof privateKey>));
    case 'none':
      return client.None();
    default:
      return client.ClientSecretBasic(clientSecret);
  }
}

/** Imports a private key for RS256, or for the algorithm of its curve. */
async function signingKeyOf(given: NonNullable<ProviderSettings['privateKey']>): Promise<SigningKey> {
  const { createPrivateKey, webcrypto } = await import('node:crypto');
  const key = typeof given === 'string' ? createPrivateKey(given) : given;
  const curves: Readonly<Record<string, string>> = {
    prime256v1: 'P-256',
    secp384r1: 'P-384',
    secp521r1: 'P-521',
  };
  const algorithm =
    key.asymmetricKeyType === 'rsa'
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
      : { name: 'ECDSA', namedCurve: curves[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? 'P-256' };
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
}
