import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { Inject, Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AuthAddresses } from '../contract/auth-addresses.js';
import type { AuthCredential } from '../contract/auth-credential.js';
import type { AuthEventSink } from '../contract/auth-event.js';
import type { AuthLogins } from '../contract/auth-logins.js';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';
import type { AuthMessages, MessageType } from '../contract/auth-messages.js';
import type { AuthSessions } from '../contract/auth-sessions.js';
import type { LoginEndListener } from '../contract/login-end.js';
import type { Factor } from '../contract/factor.js';
import type { LoginUser } from '../contract/login-user.js';
import type { LoginStep } from '../contract/login-step.js';
import type { PasswordHasher } from '../contract/password-hasher.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import type { TokenTransport, TransportRequest } from '../contract/token-transport.js';
import { AUTH_USER_STORE, type AuthUserStore } from '../contract/user-store.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { type Contribution, contributionsTo } from './contribution.js';
import { CredentialsByIssuer } from './credentials-by-issuer.js';
import { guarded } from './guarded.js';
import {
  ADDRESSES,
  CREDENTIALS,
  END_LISTENERS,
  FACTORS,
  HASHER,
  LOGINS,
  MESSAGES,
  PROVIDER,
  SESSIONS,
  SINKS,
  STEPS,
  TRANSPORT,
} from './port.tables.js';
import { inOrder, type Port, STRINGS } from './port.js';
import { implementing, usable } from './port.check.js';
import { requireDistinct } from './token-prefixes.js';

/** Longer timers of Node fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MESSAGE_TYPES: ReadonlySet<unknown> = new Set(['ws', 'rpc', 'graphql'] satisfies MessageType[]);
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const CURE = "Import exactly one, for example KitAuthJwtModule of 'kit-auth-jwt'.";

/**
 * The contributions of the application's modules to the ports of the core. Filled once, at the latest in
 * `onModuleInit()`. Empty while `kit.auth.enabled` is false. All but the sinks are guarded.
 */
@Injectable()
export class Ports implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');
  private readonly withoutThrow = new Map<object, object>();
  private guardedSessions: AuthSessions | undefined;
  /** Undefined if no credential has issuers. */
  private byIssuer: CredentialsByIssuer | undefined;
  /** The name for messages. */
  private providerName = '';
  private failure: IllegalStateException | undefined;
  private isFilled = false;

  provider: AuthProvider | undefined;
  logins: AuthLogins | undefined;
  transport: TokenTransport | undefined;
  hasher: PasswordHasher | undefined;
  addresses: AuthAddresses | undefined;
  credentials: readonly AuthCredential[] = [];
  /** See `AuthCredential.resourceMetadata`. */
  resourceMetadata: string | undefined;
  /** In their order. */
  steps: readonly LoginStep[] = [];
  /** In their order. */
  factors: readonly Factor[] = [];
  /** Whether a factor can be required. */
  canRequireEnrolment = false;
  /** Not guarded: errors must reach the transaction unchanged, so that it can be retried. */
  sinks: readonly AuthEventSink[] = [];
  /** Their methods return errors, which are logged, instead of throwing them. */
  endListeners: readonly LoginEndListener[] = [];
  /** By the type of the execution context. */
  messages: ReadonlyMap<string, AuthMessages> = new Map();
  /** The type of the ids of the user store. */
  idType: 'number' | 'string' = 'number';
  /**
   * Loads `request.user`: see `AuthUserStore.requestUser`. Undefined if the user store has no such method. The active
   * user store sets it.
   *
   * Rejects with `AuthException` 40101 `disabled` when the user does not exist any more, and 50300.
   */
  loadRequestUser: ((user: LoginUser) => Promise<object>) | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS)
    private readonly settings: Pick<KitAuthSettings, 'enabled' | 'extensionTimeoutMs' | 'tokenPrefix'>,
  ) {}

  /** @throws IllegalStateException for contributions that cannot be used, or not together */
  onModuleInit(): void {
    if (this.discovery.getProviders().filter(({ token }) => token === Ports).length > 1) {
      throw new IllegalStateException(
        'KitAuthModule is imported more than once; call forRoot() in one module.',
      );
    }
    this.filled();
  }

  /**
   * Fills the ports for code that reads them before `onModuleInit()`: applications create OpenAPI documents before they
   * start.
   *
   * @throws IllegalStateException like `onModuleInit()`
   */
  filled(): this {
    if (this.settings.enabled && !this.isFilled) {
      try {
        this.fill();
      } catch (error) {
        this.failure = error as IllegalStateException;
        throw error;
      }
      this.isFilled = true;
    }
    return this;
  }

  /**
   * The token implementation.
   *
   * @throws IllegalStateException when `kit.auth.enabled` is false, and the error of a start-up that failed
   */
  requireProvider(): AuthProvider {
    if (this.provider === undefined) {
      throw (
        this.failure ??
        new IllegalStateException(
          'There is no authentication implementation while kit.auth.enabled is false.',
        )
      );
    }
    return this.provider;
  }

  /** The sessions of the token implementation. Undefined if it has none. */
  sessions(): AuthSessions | undefined {
    const { sessions } = this.requireProvider();
    const contributed = sessions && { name: this.providerName, instance: sessions };
    this.guardedSessions ??= contributed && guarded(contributed, SESSIONS, this.settings.extensionTimeoutMs);
    return this.guardedSessions;
  }

  /** The credential whose prefix or issuer a token has. Undefined for tokens of the provider. */
  credentialOf(token: string): AuthCredential | undefined {
    const credential = this.credentials.find(
      ({ prefix }) => prefix !== undefined && token.startsWith(prefix),
    );
    return credential ?? this.byIssuer?.of(token);
  }

  /** The provider or a credential, with methods that return refusals and failures. A throw costs two microseconds. */
  returningErrors<T extends AuthProvider | AuthCredential>(resolver: T): T {
    return this.withoutThrow.get(resolver) as T;
  }

  /**
   * The contribution of a module to a port of a package.
   *
   * @param contract the name of the interface, for messages
   * @param methods the required methods
   * @throws IllegalStateException when there are several, or one that does not implement the port
   * @example
   * ```ts
   * // In onModuleInit(), where all providers exist.
   * this.ports.requireOneImport(MailModule);
   * this.mailer = this.ports.only<AuthMailer>(AUTH_MAILER, 'AuthMailer', ['send']);
   * ```
   */
  only<T extends object>(
    token: symbol,
    contract: string,
    methods: readonly (keyof T & string)[],
  ): T | undefined {
    const contribution = theOnly(this.contributions(token), contract);
    return contribution && usable(contribution, contract, methods);
  }

  /**
   * The contributions to a port, guarded. An object that several modules contribute counts once.
   *
   * @throws IllegalStateException for one that does not implement the port
   */
  allTo<T extends object>(port: Port<T>): T[] {
    const all = this.contributions(port.token);
    const distinct = all.filter(({ instance }, i) => all.findIndex((it) => it.instance === instance) === i);
    return distinct.map((contribution) => this.guardedFor(port, contribution));
  }

  /**
   * @param module a class with a static method `forRoot()`. Each call of it makes another dynamic module
   * @param isCopy whether another class of this name is the module of another copy of the package. Default: yes
   * @throws IllegalStateException when the application imports it more than once
   */
  requireOneImport(module: Type, isCopy: (other: object) => boolean = () => true): void {
    const { name } = module;
    // Compares names: the application may contain two copies of a package.
    const imports = this.discovery
      .getProviders()
      .filter(({ metatype }) => metatype === module || (metatype?.name === name && isCopy(metatype)));
    if (imports.length > 1) {
      throw new IllegalStateException(
        `There is more than one ${name}.forRoot(). Import the module once in the application.`,
      );
    }
  }

  private fill(): void {
    const contribution = theProvider(this.contributions(AUTH_PROVIDER));
    implementing(PROVIDER, contribution);
    this.providerName = contribution.name;
    const provider = this.resolving((returnsErrors) =>
      guarded<AuthProvider>(contribution, PROVIDER, this.settings.extensionTimeoutMs, returnsErrors),
    );
    this.provider = provider;
    this.logger.debug(`[auth] using authentication implementation: ${provider.extensionName}`);
    this.transport = this.onlyTo(TRANSPORT);
    this.logins = this.onlyTo(LOGINS);
    this.requireWorkingLogins(provider);
    const store = this.contributions(AUTH_USER_STORE)[0]?.instance as AuthUserStore | undefined;
    this.idType = store?.idType ?? 'number';
    this.credentials = this.contributions(CREDENTIALS.token).map((contribution) =>
      this.resolving((returnsErrors) => this.guardedFor(CREDENTIALS, contribution, returnsErrors)),
    );
    requireDistinct(this.credentials, provider, this.settings.tokenPrefix);
    this.byIssuer = this.credentials.some(({ issuers }) => issuers !== undefined)
      ? new CredentialsByIssuer(this.credentials)
      : undefined;
    this.resourceMetadata = this.credentials.find((it) => it.resourceMetadata)?.resourceMetadata;
    this.steps = inOrder(this.allTo(STEPS));
    this.factors = inOrder(this.allTo(FACTORS));
    this.factors.forEach((factor) => requireUsableFactor(factor, this.steps));
    this.canRequireEnrolment = this.factors.some((factor) => factor.isRequiredFor !== undefined);
    this.hasher = this.onlyTo(HASHER);
    this.addresses = this.onlyTo(ADDRESSES);
    this.sinks = this.contributions(SINKS.token).map(sinkOf);
    this.endListeners = this.contributions(END_LISTENERS.token).map((contribution) =>
      this.guardedFor(END_LISTENERS, contribution, true),
    );
    this.messages = this.messageSources();
  }

  /** @throws IllegalStateException for an unknown type, or several contributions for one */
  private messageSources(): Map<string, AuthMessages> {
    const found = this.contributions(MESSAGES.token).flatMap((contribution) => {
      const source = this.guardedFor(MESSAGES, contribution);
      const types: unknown = source.types;
      if (!Array.isArray(types) || !types.every((type) => MESSAGE_TYPES.has(type))) {
        throw new IllegalStateException(
          `types of ${contribution.name} must be a list of ${[...MESSAGE_TYPES].join(', ')}.`,
        );
      }
      return source.types.map((type) => ({ type, source, contribution }));
    });
    for (const { type } of found) {
      const same = found.filter((it) => it.type === type);
      theOnly([...new Set(same.map(({ contribution }) => contribution))], `AuthMessages for ${type}`);
    }
    return new Map(found.map(({ type, source }) => [type, source]));
  }

  /** @throws IllegalStateException for a contribution to `AUTH_LOGINS` that does not fit the provider */
  private requireWorkingLogins({ extensionName, keepsProof, sessions }: AuthProvider): void {
    if (this.logins === undefined) {
      return;
    }
    const problem = `${this.contributions(LOGINS.token)[0]?.name} cannot be used with ${extensionName}`;
    if (sessions !== undefined) {
      throw new IllegalStateException(
        `${problem}, whose tokens last already: it has sessions of its own. Remove that module, or use an ` +
          "implementation without sessions, such as KitAuthJwtModule of 'kit-auth-jwt'.",
      );
    }
    if (keepsProof !== true) {
      throw new IllegalStateException(
        `${problem}: its tokens do not say which login they belong to (keepsProof).`,
      );
    }
  }

  /** @throws IllegalStateException like `only` */
  private onlyTo<T extends object>(port: Port<T>): T | undefined {
    const contribution = theOnly(this.contributions(port.token), port.contract);
    return contribution && this.guardedFor(port, contribution);
  }

  private contributions(token: symbol): Contribution[] {
    return contributionsTo(this.discovery, token);
  }

  private resolving<T extends AuthProvider | AuthCredential>(guard: (returnsErrors: boolean) => T): T {
    const resolver = guard(false);
    this.withoutThrow.set(resolver, guard(true));
    return resolver;
  }

  private guardedFor<T extends object>(
    port: Port<T>,
    contribution: Contribution,
    returnsErrors?: boolean,
  ): T {
    const instance = implementing(port, contribution);
    const { timeoutMs = this.settings.extensionTimeoutMs } = instance as { timeoutMs?: number };
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
      throw new IllegalStateException(
        `timeoutMs of ${contribution.name} must be a whole number from 1 to ${MAX_TIMEOUT_MS}.`,
      );
    }
    return guarded(contribution, port, timeoutMs, returnsErrors);
  }
}

const KINDS: readonly unknown[] = ['asked', 'offered', 'elsewhere', 'no'] satisfies Factor['second'][];

/** @throws IllegalStateException for a factor that logins could not ask for, although it says so */
function requireUsableFactor(factor: Factor, steps: readonly LoginStep[]): void {
  const { names, confirms, second = 'asked', constructor } = factor;
  if (![names, confirms].every(STRINGS.fits) || !confirms.every((name) => names.includes(name))) {
    throw new IllegalStateException(
      `names and confirms of ${constructor.name} must be ${STRINGS.expected}, with all of confirms among names.`,
    );
  }
  if (!KINDS.includes(second)) {
    throw new IllegalStateException(`second of ${constructor.name} must be one of ${KINDS.join(', ')}.`);
  }
  if (second !== 'asked') {
    return;
  }
  if (factor.verify === undefined) {
    throw new IllegalStateException(
      `${constructor.name} lacks the method verify, so no login could be completed with it. Add it, or set second.`,
    );
  }
  if (!steps.some((step) => step.constructor.name === 'SecondFactorStep')) {
    throw new IllegalStateException(
      `No login asks for ${constructor.name}. Import SecondFactorModule of kit-auth/store in its module, or set second.`,
    );
  }
}

/** @throws IllegalStateException for a contribution that does not implement `AuthEventSink` */
function sinkOf(contribution: Contribution): AuthEventSink {
  const sink = implementing(SINKS, contribution);
  if (sink.ignores !== undefined && !STRINGS.fits(sink.ignores)) {
    throw new IllegalStateException(`ignores of ${contribution.name} must be ${STRINGS.expected}.`);
  }
  return sink;
}

/** @throws IllegalStateException that names all of them when there are several */
function theOnly(found: readonly Contribution[], contract: string): Contribution | undefined {
  if (found.length > 1) {
    throw new IllegalStateException(
      `There is more than one ${contract}: ${found.map(({ name }) => name).join(', ')}. ` +
        'Import only one of these modules.',
    );
  }
  return found[0];
}

/** @throws IllegalStateException unless there is exactly one, which implements `AuthProvider` */
function theProvider(found: readonly Contribution[]): Contribution {
  const [only] = found;
  if (only === undefined) {
    throw new IllegalStateException(`No authentication implementation was detected. ${CURE}`);
  }
  if (found.length > 1) {
    const names = found.map(({ name }) => name).join(', ');
    throw new IllegalStateException(`Multiple authentication implementations exist: ${names}. ${CURE}`);
  }
  if (!only.isStatic || !isAuthProvider(only.instance)) {
    throw new IllegalStateException(
      `${only.name} does not implement AuthProvider: it needs a non-empty extensionName, the methods issueToken, ` +
        'resolveToken and invalidate, resolve if keepsProof is true, and the default scope.',
    );
  }
  return only;
}

function isAuthProvider(value: unknown): boolean {
  const candidate = (value ?? {}) as Partial<Record<keyof AuthProvider, unknown>>;
  const { extensionName, issueToken, resolveToken, invalidate, keepsProof, resolve } = candidate;
  return (
    typeof extensionName === 'string' &&
    extensionName !== '' &&
    [issueToken, resolveToken, invalidate].every((method) => typeof method === 'function') &&
    (keepsProof !== true || typeof resolve === 'function')
  );
}

/** A request of Express, or one of Fastify, which has Node's own in `raw`. */
type PlatformRequest = Partial<
  Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders' | 'url' | 'socket'>
> & {
  readonly raw?: unknown;
  /** Express changes `url` inside routers. */
  readonly originalUrl?: string;
  readonly host?: string;
  readonly protocol?: string;
  readonly body?: unknown;
  readonly rawBody?: Buffer;
};

/**
 * The parts of a request of Express, Fastify or Node (such as a WebSocket upgrade) that transports and credentials
 * read. Undefined if it is not an HTTP request.
 */
export function transportRequestOf(request: PlatformRequest): TransportRequest | undefined {
  const { method, url, headers, rawHeaders, socket } = (request.raw ?? request) as PlatformRequest;
  if (method === undefined || headers === undefined || rawHeaders === undefined) {
    return undefined;
  }
  return {
    method,
    url: request.originalUrl ?? url ?? '',
    headers,
    rawHeaders,
    host: request.host ?? headers.host,
    protocol: request.protocol,
    body: request.body,
    rawBody: request.rawBody,
    clientCertificate: () => certificateOf(socket as TLSSocket | undefined),
  };
}

/** The certificate of a client that the server has verified. Node has an empty object for clients without one. */
function certificateOf(socket: Partial<TLSSocket> | undefined): PeerCertificate | undefined {
  const certificate = socket?.authorized === true ? socket.getPeerCertificate?.() : undefined;
  return (certificate as Partial<PeerCertificate> | undefined)?.raw && certificate;
}

/** Whether the method of a request promises to change nothing (RFC 9110, section 9.2.1). */
export function isSafe({ method }: Pick<TransportRequest, 'method'>): boolean {
  return SAFE_METHODS.has(method);
}

/**
 * Lets the token transport refuse a request that may log somebody in, for example one of another site.
 *
 * @throws AuthException of the transport
 */
export function admitLogin(transport: TokenTransport | undefined, request: object): void {
  askTransport(transport, request, (asked, transportRequest) =>
    isSafe(transportRequest) ? undefined : asked.admit?.(transportRequest),
  );
}

/**
 * Like `admitLogin`, for what no link of another site may do either, so that GET requests are asked about too.
 *
 * @throws AuthException of the transport
 */
export function admitOwn(transport: TokenTransport | undefined, request: object): void {
  askTransport(transport, request, (asked, transportRequest) => asked.admit?.(transportRequest));
}

/**
 * Asks the token transport of the application, if it has one, about an HTTP request.
 *
 * @throws AuthException of the transport
 */
export function askTransport<T>(
  transport: TokenTransport | undefined,
  request: object,
  question: (transport: TokenTransport, request: TransportRequest) => T,
): T | undefined {
  const transportRequest = transport && transportRequestOf(request);
  return transport === undefined || transportRequest === undefined
    ? undefined
    : question(transport, transportRequest);
}
