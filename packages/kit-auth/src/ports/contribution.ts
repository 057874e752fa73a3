import type { DiscoveryService } from '@nestjs/core';
import { IllegalStateException } from '../errors/auth.exception.js';
import type { Contributed } from './guarded.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Host = NonNullable<ProviderWrapper['host']>;

/** An object that a module of the application provides for a port. */
export interface Contribution extends Contributed {
  /** Whether it has the default scope, so that there is one instance for all requests. */
  readonly isStatic: boolean;
}

/**
 * All contributions to a port, of global and other modules. A module may contribute a list.
 *
 * @throws IllegalStateException when a module provides the token twice: Nest keeps only the last one
 */
export function contributionsTo(discovery: DiscoveryService, token: symbol): Contribution[] {
  const found = discovery.getProviders().filter((wrapper) => wrapper.token === token);
  found.forEach(({ host }) => host && requireAllKept(host, token));
  return found.flatMap((wrapper) => {
    const instance: unknown = wrapper.instance;
    const isStatic = wrapper.isDependencyTreeStatic();
    return (Array.isArray(instance) ? (instance as readonly unknown[]) : [instance]).map((value) => ({
      name: nameOf(value, wrapper),
      instance: value,
      isStatic,
    }));
  });
}

/** @throws IllegalStateException when a module has several providers for a port */
function requireAllKept(host: Host, token: symbol): void {
  const { metatype, token: key } = host;
  const { container } = host as unknown as {
    container?: { getDynamicMetadataByToken(token: string, name: 'providers'): readonly unknown[] };
  };
  const declared = [
    ...((Reflect.getMetadata('providers', metatype) ?? []) as readonly unknown[]),
    ...(container?.getDynamicMetadataByToken(key, 'providers') ?? []),
  ];
  if (
    declared.filter((provider) => (provider as { provide?: unknown } | null)?.provide === token).length > 1
  ) {
    throw new IllegalStateException(
      `${metatype.name} provides ${String(token.description)} more than once, and Nest keeps only the last one. Provide it ` +
        'in one module each. A port that takes any number also takes a list: ' +
        '{ provide: LOGIN_STEP, useFactory: (...steps) => steps, inject: [StepA, StepB] }.',
    );
  }
}

function nameOf(instance: unknown, { host }: ProviderWrapper): string {
  const { extensionName, constructor } = (instance ?? {}) as {
    extensionName?: unknown;
    constructor?: { name: string };
  };
  const name = typeof extensionName === 'string' ? extensionName : (constructor?.name ?? 'a provider');
  return `${name} (of ${host?.name ?? 'an unknown module'})`;
}
