import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { AuthPolicy } from '../contract/auth-policy.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';

/** The instances of the policies that `@Authorize()` names. */
@Injectable()
export class Policies {
  private readonly found = new Map<Type<AuthPolicy>, AuthPolicy>();

  constructor(private readonly moduleRef: ModuleRef) {}

  /** @throws IllegalStateException when no module provides the policy, or only for a request */
  get(type: Type<AuthPolicy>): AuthPolicy {
    const known = this.found.get(type);
    if (known !== undefined) {
      return known;
    }
    try {
      const policy = this.moduleRef.get<AuthPolicy>(type, { strict: false });
      this.found.set(type, policy);
      return policy;
    } catch (cause) {
      throw new IllegalStateException(
        `@Authorize(${type.name}): no module provides the policy, or it is request-scoped. Add it to the providers ` +
          'of a module, in the default scope.',
        { cause },
      );
    }
  }
}
