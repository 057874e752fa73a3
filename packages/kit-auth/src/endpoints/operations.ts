import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import type { AuthErrorCode } from '../errors/auth-error-code.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { contributionsTo } from '../ports/contribution.js';
import type { Api } from './endpoint.js';
import type { Schema, Shape } from './schema.js';

/**
 * Injection token of the endpoints of a package: a `PackageEndpoints`. `authFeature()` contributes it. Only OpenAPI documents and
 * the reference use the schemas of answers.
 */
export const AUTH_OPERATIONS = Symbol.for('kit-auth.operations');

/** The endpoints of a package, as data. */
export interface PackageEndpoints {
  /** The tag of its endpoints in OpenAPI documents. */
  readonly name: string;
  readonly endpoints: Api;
  readonly additions?: Additions | undefined;
  /** The members that the package adds to the answers of logins. */
  readonly login?: Shape | undefined;
}

/** Additions of a package to endpoints of other packages, by their keys. */
export type Additions = Readonly<
  Record<
    string,
    {
      /** Another body that the endpoint accepts. */
      readonly body?: Shape;
      /** The answer, if the endpoint has none of its own. */
      readonly answer?: Schema;
      /** The endpoint may also answer 202 without a body. */
      readonly accepts?: true;
      readonly errors?: readonly AuthErrorCode[];
    }
  >
>;

/** Refuses two endpoints with one id. */
@Injectable()
export class OperationIds implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException that names both endpoints */
  onModuleInit(): void {
    if (this.settings.enabled) {
      const contributions = contributionsTo(this.discovery, AUTH_OPERATIONS);
      requireOwnIds(contributions.map(({ instance }) => instance as PackageEndpoints));
    }
  }
}

function requireOwnIds(packages: readonly PackageEndpoints[]): void {
  const found = new Map<string, { name: string; key: string }>();
  for (const { name, endpoints } of packages) {
    for (const [key, { id }] of Object.entries(endpoints)) {
      const other = found.get(id);
      // Modules of one package may share an endpoint.
      if (other !== undefined && (other.name !== name || other.key !== key)) {
        throw new IllegalStateException(
          `The id '${id}' belongs to ${other.key} of ${other.name} and to ${key} of ${name}, but an OpenAPI document can have it ` +
            'only once. Change one of them in endpoints(), for example by a prefix of its own.',
        );
      }
      found.set(id, { name, key });
    }
  }
}
