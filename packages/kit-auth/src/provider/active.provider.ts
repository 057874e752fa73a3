import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

const CURE = "Import exactly one, for example KitAuthJwtModule of 'kit-auth-jwt'.";

/** The one implementation of the application. None, or more than one, ends start-up. */
@Injectable()
export class ActiveProvider implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');
  private provider: AuthProvider | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders();
    if (providers.filter(({ token }) => token === ActiveProvider).length > 1) {
      throw new IllegalStateException(
        'KitAuthModule is imported more than once; call forRoot() in one module.',
      );
    }
    if (this.settings.enabled) {
      this.provider = theOnly(providers.filter(({ token }) => token === AUTH_PROVIDER));
      this.logger.debug(`[auth] using authentication implementation: ${this.provider.extensionName}`);
    }
  }

  /** @throws IllegalStateException when `kit.auth.enabled` is false */
  get(): AuthProvider {
    if (this.provider === undefined) {
      throw new IllegalStateException(
        'There is no authentication implementation while kit.auth.enabled is false.',
      );
    }
    return this.provider;
  }
}

function theOnly(found: readonly ProviderWrapper[]): AuthProvider {
  const [wrapper] = found;
  if (wrapper === undefined) {
    throw new IllegalStateException(`No authentication implementation was detected. ${CURE}`);
  }
  if (found.length > 1) {
    const names = found.map(nameOf).join(', ');
    throw new IllegalStateException(`Multiple authentication implementations exist: ${names}. ${CURE}`);
  }
  const provider: unknown = wrapper.instance;
  if (!wrapper.isDependencyTreeStatic() || !isAuthProvider(provider)) {
    throw new IllegalStateException(
      `${nameOf(wrapper)} is no AuthProvider: it needs a non-empty extensionName, the methods issueToken, ` +
        'resolveToken and invalidate, and the default scope.',
    );
  }
  return provider;
}

function isAuthProvider(value: unknown): value is AuthProvider {
  const candidate = (value ?? {}) as Partial<Record<keyof AuthProvider, unknown>>;
  return (
    typeof candidate.extensionName === 'string' &&
    candidate.extensionName !== '' &&
    [candidate.issueToken, candidate.resolveToken, candidate.invalidate].every(
      (it) => typeof it === 'function',
    )
  );
}

function nameOf({ instance, host }: ProviderWrapper): string {
  const { extensionName, constructor } = (instance ?? {}) as {
    extensionName?: unknown;
    constructor?: { name: string };
  };
  const name = typeof extensionName === 'string' ? extensionName : (constructor?.name ?? 'a provider');
  return `${name} (of ${host?.name ?? 'an unknown module'})`;
}
