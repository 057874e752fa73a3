import { type CanActivate, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';

/** The module's own endpoints answer 404 while `kit.auth.enabled` is false. */
@Injectable()
export class OnlyWhenEnabled implements CanActivate {
  constructor(@Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings) {}

  canActivate(): boolean {
    if (!this.settings.enabled) {
      throw new NotFoundException();
    }
    return true;
  }
}
