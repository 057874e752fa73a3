import { Inject, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { type Contribution, contributionsTo } from './contribution.js';
import { guarded } from './guarded.js';
import type { Port } from './port.js';
import { implementing, usable } from './port.check.js';

/** A longer timer of Node ends at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

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
  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS)
    private readonly settings: Pick<KitAuthSettings, 'enabled' | 'extensionTimeoutMs'>,
  ) {}

  /**
   * @param contract the name of the interface, for messages
   * @param methods those that it requires
   * @throws IllegalStateException when there are several, or one that does not implement the port
   */
  only<T extends object>(
    token: symbol,
    contract: string,
    methods: readonly (keyof T & string)[],
  ): T | undefined {
    const contribution = theOnly(contributionsTo(this.discovery, token), contract);
    return contribution && usable(contribution, contract, methods);
  }

  /**
   * The guarded contribution to a port of the core that takes at most one. None while `kit.auth.enabled` is false.
   *
   * @throws IllegalStateException as `only`
   * @internal
   */
  onlyTo<T extends object>(port: Port<T>): T | undefined {
    const contribution = theOnly(this.foundFor(port), port.contract);
    return contribution && this.guardedFor(port, contribution);
  }

  /**
   * The guarded contributions to a port of the core that takes any number. None while `kit.auth.enabled` is false.
   *
   * @throws IllegalStateException for one that does not implement the port
   * @internal
   */
  allTo<T extends object>(port: Port<T>): T[] {
    return this.foundFor(port).map((contribution) => this.guardedFor(port, contribution));
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

  private foundFor({ token }: Pick<Port<object>, 'token'>): Contribution[] {
    return this.settings.enabled ? contributionsTo(this.discovery, token) : [];
  }

  private guardedFor<T extends object>(port: Port<T>, contribution: Contribution): T {
    const instance = implementing(port, contribution);
    const { timeoutMs = this.settings.extensionTimeoutMs } = instance as { timeoutMs?: unknown };
    if (!isTimeout(timeoutMs)) {
      throw new IllegalStateException(
        `timeoutMs of ${contribution.name} must be a whole number from 1 to ${MAX_TIMEOUT_MS}.`,
      );
    }
    return guarded(contribution, port, timeoutMs);
  }
}

function isTimeout(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TIMEOUT_MS;
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
