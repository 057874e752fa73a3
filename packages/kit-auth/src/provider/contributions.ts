import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { IllegalStateException } from '../errors/illegal-state.exception.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** What a module of the application provides under the injection token of a port. */
export interface Contribution {
  /** The class and its module, for messages. */
  readonly name: string;
  readonly instance: unknown;
  /** Whether it has the default scope, so that there is one instance for all requests. */
  readonly isStatic: boolean;
}

/**
 * Finds what modules of the application provide for a port of a package.
 *
 * @example
 * ```ts
 * // In onModuleInit(), where all providers exist.
 * this.contributions.requireOneImport(MailModule);
 * this.mailer = this.contributions.only<AuthMailer>(AUTH_MAILER, 'AuthMailer', ['send']);
 * ```
 */
@Injectable()
export class Contributions {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * @param contract the name of the interface, for messages
   * @param methods those that it requires
   * @throws IllegalStateException when there are several, or one that does not implement the port
   */
  only<Port extends object>(
    port: symbol,
    contract: string,
    methods: readonly (keyof Port & string)[],
  ): Port | undefined {
    return onlyContributionTo(this.discovery, port, contract, methods);
  }

  /**
   * @param module a class with a static method `forRoot()`. Each call of it makes another dynamic module
   * @throws IllegalStateException when the application imports it more than once
   */
  requireOneImport({ name }: Type): void {
    // By name: the application may contain two copies of a package.
    if (this.discovery.getProviders().filter(({ metatype }) => metatype?.name === name).length > 1) {
      throw new IllegalStateException(
        `There is more than one ${name}.forRoot(). Import the module once in the application.`,
      );
    }
  }
}

/** All contributions to a port, of global and other modules. */
export function contributionsTo(discovery: DiscoveryService, port: symbol): Contribution[] {
  return discovery
    .getProviders()
    .filter(({ token }) => token === port)
    .map((wrapper) => ({
      name: nameOf(wrapper),
      instance: wrapper.instance as unknown,
      isStatic: wrapper.isDependencyTreeStatic(),
    }));
}

/**
 * All contributions to a port that takes any number, ready to use.
 *
 * @param contract the name of the interface, for messages
 * @param methods those that it requires
 * @throws IllegalStateException for one that does not implement the port
 */
export function allContributionsTo<Port extends object>(
  discovery: DiscoveryService,
  port: symbol,
  contract: string,
  methods: readonly (keyof Port & string)[],
): Port[] {
  return contributionsTo(discovery, port).map((it) => usable(it, contract, methods));
}

/**
 * The contribution to a port that takes at most one.
 *
 * @throws IllegalStateException that names all of them when there are several, or for one that does not implement the
 * port
 */
export function onlyContributionTo<Port extends object>(
  discovery: DiscoveryService,
  port: symbol,
  contract: string,
  methods: readonly (keyof Port & string)[],
): Port | undefined {
  const found = contributionsTo(discovery, port);
  if (found.length > 1) {
    throw new IllegalStateException(
      `There is more than one ${contract}: ${found.map(({ name }) => name).join(', ')}. ` +
        'Import only one of these modules.',
    );
  }
  return found[0] && usable(found[0], contract, methods);
}

/** @throws IllegalStateException for what does not implement the port */
export function usable<Port extends object>(
  { name, instance, isStatic }: Contribution,
  contract: string,
  methods: readonly (keyof Port & string)[],
): Port {
  if (typeof instance !== 'object' || instance === null || !isStatic) {
    throw new IllegalStateException(
      `${name} does not implement ${contract}: it must be an object in the default scope.`,
    );
  }
  const missing = methods.filter((method) => typeof Reflect.get(instance, method) !== 'function');
  if (missing.length > 0) {
    throw new IllegalStateException(
      `${name} does not implement ${contract}: it lacks ${missing.join(', ')}.`,
    );
  }
  return instance as Port;
}

function nameOf({ instance, host }: ProviderWrapper): string {
  const { extensionName, constructor } = (instance ?? {}) as {
    extensionName?: unknown;
    constructor?: { name: string };
  };
  const name = typeof extensionName === 'string' ? extensionName : (constructor?.name ?? 'a provider');
  return `${name} (of ${host?.name ?? 'an unknown module'})`;
}
