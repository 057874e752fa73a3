import { Controller, Get, Header, Inject, NotFoundException, VERSION_NEUTRAL } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, Public } from 'kit-auth';
import { RelyingParty } from '../config/relying-party.js';

/** Tells browsers which other domains may use the passkeys of this one (related origin requests). */
@Controller({ path: '.well-known/webauthn', version: VERSION_NEUTRAL })
export class KitAuthRelatedOriginsController {
  constructor(
    private readonly relyingParty: RelyingParty,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  @Get()
  @Public()
  @Header('Content-Type', 'application/json')
  list(): { origins: readonly string[] } {
    const { relatedOrigins: origins } = this.relyingParty;
    if (!this.settings.enabled || origins === undefined) {
      throw new NotFoundException();
    }
    return { origins };
  }
}
