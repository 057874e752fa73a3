import { Module } from '@nestjs/common';
import { KitAuthFreshOptionsController } from './fresh-options.controller.js';

/** `POST fresh/options`. Modules whose factors have `Factor.begin` import it. */
@Module({ controllers: [KitAuthFreshOptionsController] })
export class FreshOptionsModule {}
