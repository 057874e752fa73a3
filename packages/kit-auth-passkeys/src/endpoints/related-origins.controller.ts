import { Get, Header, NotFoundException } from '@nestjs/common';
import { WellKnownController } from 'kit-auth/extend';
import { RelyingParty } from '../config/relying-party.js';

/** Tells browsers which other domains may use the passkeys of this one (related origin requests). */
@WellKnownController('webauthn')
export class KitAuthRelatedOriginsController {
  constructor(private readonly relyingParty: RelyingParty) {}

  @Get()
  @Header('Content-Type', 'application/json')
  list(): { origins: readonly string[] } {
    const { relatedOrigins: origins } = this.relyingParty;
    if (origins === undefined) {
      throw new NotFoundException();
    }
    return { origins };
  }
}
