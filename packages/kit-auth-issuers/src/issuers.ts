import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  AuthEvents,
  type AuthEvent,
  type AuthEventSink,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
} from 'kit-auth';
import {
  ActiveUserStore,
  ATTEMPT_EVENTS,
  AUTH_IDENTITIES,
  type AuthIdentities,
  Ports,
} from 'kit-auth/feature';
import { type IssuerSettings, settingsOf } from './issuer.js';
import { issuersOptions, type ResolvedIssuersOptions } from './issuers.options.js';
import { IssuerConnections } from './keys/issuer.connections.js';
import { IssuerKeys } from './keys/issuer.keys.js';
import { metadataUrlOf } from './metadata.controllers.js';
import { IssuerCredential, type TokenUsers } from './tokens/issuer.credential.js';
import { ComputedUsers, LinkedUsers } from './users/loaded.users.js';
import { MappedUsers } from './users/mapped.users.js';

/** Events that may change roles, remove users, or require a new password. */
const CHANGES = /^(?:user|role|identity|password)-/;

interface AcceptedIssuer {
  readonly issuer: IssuerSettings;
  readonly keys: IssuerKeys;
  readonly users: TokenUsers;
  readonly credential: IssuerCredential;
}

/** The issuers of the application, with a credential for each. */
@Injectable()
export class Issuers implements AuthEventSink, OnModuleInit, OnApplicationShutdown {
  readonly ignores = ATTEMPT_EVENTS;
  private readonly all: readonly AcceptedIssuer[];
  private identities: AuthIdentities | undefined;

  constructor(
    @Inject(issuersOptions.token) { settings }: ResolvedIssuersOptions,
    connections: IssuerConnections,
    events: AuthEvents,
    private readonly store: ActiveUserStore,
    private readonly ports: Ports,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    const metadata = settings.resource === undefined ? undefined : metadataUrlOf(settings.resource);
    this.all = settings.issuers.map(settingsOf).map((issuer) => {
      const keys = new IssuerKeys(issuer, connections, events, core.extensionTimeoutMs);
      const users = this.usersOf(issuer);
      return { issuer, keys, users, credential: new IssuerCredential(issuer, keys, users, metadata) };
    });
  }

  get credentials(): IssuerCredential[] {
    return this.all.map(({ credential }) => credential);
  }

  /** @throws IllegalStateException for `user` of an issuer that cannot work in this application */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.requireUsers();
    }
  }

  /** Fetches all keys in the background, so that the first token does not wait. */
  fetch(): void {
    if (this.core.enabled) {
      this.all.forEach(({ keys }) => void keys.fetch());
    }
  }

  /** Ends fetches. */
  onApplicationShutdown(): void {
    this.all.forEach(({ keys }) => keys.close());
  }

  async keep(): Promise<void> {}

  committed({ type }: AuthEvent): void {
    if (CHANGES.test(type)) {
      this.all.forEach(({ users }) => users.forget?.());
    }
  }

  private requireUsers(): void {
    const issuers = this.all.map(({ issuer }) => issuer);
    const mapped = issuers.find(({ user }) => typeof user === 'object');
    if (mapped !== undefined && this.store.idType !== 'string') {
      throw new IllegalStateException(
        `kit.auth.issuers.issuers has user.claims for ${mapped.issuer}, whose users have ids such as ext_..., but ids of the ` +
          "user store are numbers. Use user: 'linked', a function, or a user store with the idType 'string'.",
      );
    }
    const linked = issuers.find(({ user }) => user === 'linked');
    if (linked !== undefined) {
      this.identities = this.ports.only<AuthIdentities>(AUTH_IDENTITIES, 'AuthIdentities', ['userOf']);
      if (this.identities === undefined) {
        throw new IllegalStateException(
          `kit.auth.issuers.issuers has user: 'linked' for ${linked.issuer}, but nothing knows which identities users have ` +
            "linked. Import KitAuthOidcModule of 'kit-auth-oidc', or use a function.",
        );
      }
    }
  }

  private usersOf(issuer: IssuerSettings): TokenUsers {
    const { user } = issuer;
    if (user === 'linked') {
      return new LinkedUsers(issuer, () => this.identities as AuthIdentities, this.store);
    }
    return typeof user === 'function'
      ? new ComputedUsers(issuer, user, this.store, this.core.extensionTimeoutMs)
      : new MappedUsers(user.claims);
  }
}
