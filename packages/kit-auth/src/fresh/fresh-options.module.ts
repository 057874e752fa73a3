import { Module } from '@nestjs/common';
import { AUTH_OPERATIONS, type PackageEndpoints } from '../endpoints/operations.js';
import { freshOptionsApi } from '../endpoints/core.api.js';
import { KitAuthFreshOptionsController } from './fresh-options.controller.js';

const OPERATIONS: PackageEndpoints = { name: 'kit-auth', endpoints: freshOptionsApi };

/** `POST fresh/options`. Modules whose factors have `Factor.begin` import it. */
@Module({
  controllers: [KitAuthFreshOptionsController],
  providers: [{ provide: AUTH_OPERATIONS, useValue: OPERATIONS }],
})
export class FreshOptionsModule {}
