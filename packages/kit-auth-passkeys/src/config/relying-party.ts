import { Inject, Injectable } from '@nestjs/common';
import { passkeysOptions, type ResolvedPasskeysOptions } from './passkeys.options.js';
import { foreignOriginsOf } from './relying-party.rules.js';

/** The application, as authenticators know it. */
@Injectable()
export class RelyingParty {
  /** The domain. */
  readonly id: string;
  readonly name: string;
  /** The origins of pages that may ask for a passkey. */
  readonly origins: readonly string[];
  /** Those on other domains. Undefined unless `related` is on. */
  readonly relatedOrigins: readonly string[] | undefined;

  constructor(@Inject(passkeysOptions.token) { settings }: ResolvedPasskeysOptions) {
    this.id = settings.rpId ?? '';
    this.name = settings.rpName ?? '';
    this.origins = settings.origins.length > 0 ? settings.origins : [`https://${this.id}`];
    this.relatedOrigins = settings.related ? foreignOriginsOf(this.id, this.origins) : undefined;
  }
}
