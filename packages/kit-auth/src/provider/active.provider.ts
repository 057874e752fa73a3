import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';
import type { AuthSessions } from '../contract/auth-sessions.js';
import type { Principal } from '../contract/login-proof.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import type { UserId } from '../contract/user-id.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { type Contribution, contributionsTo } from './contribution.js';
import { guarded } from './guarded.js';
import { implementing } from './port.check.js';
import { PROVIDER, SESSIONS } from './ports.js';

const CURE = "Import exactly one, for example KitAuthJwtModule of 'kit-auth-jwt'.";

/** The one token implementation of the application. Start-up fails when there is none, or more than one. */
@Injectable()
export class ActiveProvider implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');
  /** The class of the implementation and its module. */
  private name = '';
  private provider: AuthProvider | undefined;
  private guardedSessions: AuthSessions | undefined;
  private failure: IllegalStateException | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.discovery.getProviders().filter(({ token }) => token === ActiveProvider).length > 1) {
      throw new IllegalStateException(
        'KitAuthModule is imported more than once; call forRoot() in one module.',
      );
    }
    if (this.settings.enabled) {
      try {
        const contribution = theOnly(contributionsTo(this.discovery, AUTH_PROVIDER));
        this.name = contribution.name;
        this.provider = guarded(contribution, PROVIDER, this.settings.extensionTimeoutMs);
      } catch (error) {
        this.failure = error as IllegalStateException;
        throw error;
      }
      this.logger.debug(`[auth] using authentication implementation: ${this.provider.extensionName}`);
    }
  }

  /** @throws IllegalStateException when `kit.auth.enabled` is false, and the error of a start-up that failed */
  get(): AuthProvider {
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

  /** The sessions of the implementation. Undefined where it has none. */
  sessions(): AuthSessions | undefined {
    const { sessions } = this.get();
    if (sessions !== undefined) {
      const contributed = { name: this.name, instance: sessions };
      this.guardedSessions ??= guarded(contributed, SESSIONS, this.settings.extensionTimeoutMs);
    }
    return this.guardedSessions;
  }

  /** Undefined when there is none. */
  find(): AuthProvider | undefined {
    return this.provider;
  }

  /** Tells the implementation that a user was changed, or any number of them, so that it drops cached copies. */
  userChanged(userId?: UserId): void {
    this.get().userChanged?.(userId);
  }

  /** Whether the implementation resolved the token of a principal, rather than a credential. */
  hasResolved({ scheme }: Principal): boolean {
    return scheme === this.get().extensionName;
  }

  /**
   * Whether a token was issued while its user had this security stamp. True where the implementation cannot tell, and
   * for tokens of credentials.
   */
  isIssuedFor(principal: Principal, stamp: string): boolean {
    const provider = this.get();
    return (
      !this.hasResolved(principal) ||
      provider.isIssuedFor === undefined ||
      provider.isIssuedFor(principal.token, stamp)
    );
  }
}

function theOnly(found: readonly Contribution[]): Contribution {
  const [only, ...others] = found;
  if (only === undefined) {
    throw new IllegalStateException(`No authentication implementation was detected. ${CURE}`);
  }
  if (others.length > 0) {
    const names = found.map(({ name }) => name).join(', ');
    throw new IllegalStateException(`Multiple authentication implementations exist: ${names}. ${CURE}`);
  }
  if (!only.isStatic || !isAuthProvider(only.instance)) {
    throw new IllegalStateException(
      `${only.name} does not implement AuthProvider: it needs a non-empty extensionName, the methods issueToken, ` +
        'resolveToken and invalidate, resolve if keepsProof is true, and the default scope.',
    );
  }
  implementing(PROVIDER, only);
  return only;
}

function isAuthProvider(value: unknown): boolean {
  const candidate = (value ?? {}) as Partial<Record<keyof AuthProvider, unknown>>;
  const { extensionName, issueToken, resolveToken, invalidate, keepsProof, resolve } = candidate;
  return (
    typeof extensionName === 'string' &&
    extensionName !== '' &&
    [issueToken, resolveToken, invalidate].every((it) => typeof it === 'function') &&
    (keepsProof !== true || typeof resolve === 'function')
  );
}
