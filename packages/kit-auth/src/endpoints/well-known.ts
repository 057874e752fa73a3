import {
  applyDecorators,
  Controller,
  Module,
  type NestModule,
  SetMetadata,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { Public } from '../routes/require.decorators.js';
import { OURS } from '../routes/route-rule.js';
import { excludeWellKnown, WELL_KNOWN, wellKnownPath } from '../routes/well-known.js';
import { OnlyWhenEnabled } from './controller.js';

/**
 * A controller of open endpoints under `/.well-known/` (RFC 8615), where clients look for them: neither a global prefix
 * nor the versioning of the application changes their paths. They answer 404 while `kit.auth.enabled` is false.
 *
 * With a global prefix, middleware that modules apply may not run for them; that of `app.use()` does.
 *
 * @param name the path behind `/.well-known/`, which its methods may continue
 *
 * @example
 * ```ts
 * @WellKnownController('jwks.json')
 * export class WellKnownKeysController {}
 * ```
 */
export function WellKnownController(name: string): ClassDecorator {
  return applyDecorators(
    Controller({ path: wellKnownPath(name), version: VERSION_NEUTRAL }),
    SetMetadata(OURS, true),
    SetMetadata(WELL_KNOWN, name),
    Public(),
    UseGuards(OnlyWhenEnabled),
  );
}

@Module({})
export class WellKnownModule implements NestModule {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: ApplicationConfig,
  ) {}

  /** Nest calls this after the application has set its prefix, and before it registers routes. */
  configure(): void {
    excludeWellKnown(this.modules, this.config);
  }
}
