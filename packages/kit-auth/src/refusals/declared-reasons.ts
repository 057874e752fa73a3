import { Injectable, type ValueProvider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ErrorCode } from '../errors/auth-error-code.js';
import { contributionsTo } from '../ports/contribution.js';

/** Reasons that the modules declare. */
const AUTH_REASONS = Symbol.for('kit-auth.reasons');

/** Lists of words, by code. */
export type Reasons = Readonly<Partial<Record<ErrorCode, readonly string[]>>>;

/**
 * Declares the values of `reason` in errors of a module, for packages that explain errors to people. Add it to the `providers` of
 * the module, once. `authFeature({ reasons })` does the same.
 *
 * @example
 * ```ts
 * @Module({ providers: [declareReasons({ 40350: ['new-terms', 'withdrawn'] })] })
 * export class TermsModule {}
 * ```
 */
export function declareReasons(reasons: Reasons): ValueProvider<Reasons> {
  return { provide: AUTH_REASONS, useValue: reasons };
}

/** The reasons that the modules of the application declare. */
@Injectable()
export class DeclaredReasons {
  constructor(private readonly discovery: DiscoveryService) {}

  /** In `onModuleInit()` or later, where all providers exist. @throws IllegalStateException if a module declares twice */
  byCode(): Map<number, Set<string>> {
    const byCode = new Map<number, Set<string>>();
    for (const { instance } of contributionsTo(this.discovery, AUTH_REASONS)) {
      for (const [code, reasons] of Object.entries(instance as Reasons)) {
        byCode.set(Number(code), new Set([...(byCode.get(Number(code)) ?? []), ...reasons]));
      }
    }
    return byCode;
  }
}
