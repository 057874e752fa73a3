import { Inject, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { MailLimits, MailLinks, MailQueue, UserAddresses } from 'kit-auth-email';
import { INVITE, REGISTER } from './link-tokens.js';
import { registrationOptions, type ResolvedRegistrationOptions } from './registration.options.js';

/**
 * The providers of `KitAuthEmailModule`. They are optional for Nest, so that start-up can report what is missing. After
 * `onModuleInit()`, all of them are present.
 */
@Injectable()
export class EmailModuleParts implements OnModuleInit {
  constructor(
    @Optional() readonly queue: MailQueue,
    @Optional() readonly limits: MailLimits,
    @Optional() readonly addresses: UserAddresses,
    @Optional() readonly links: MailLinks,
    @Inject(registrationOptions.token) private readonly own: ResolvedRegistrationOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException when `KitAuthEmailModule` or a link is missing */
  onModuleInit(): void {
    if (!this.core.enabled) {
      return;
    }
    const parts: readonly (object | undefined)[] = [this.queue, this.limits, this.addresses, this.links];
    if (parts.includes(undefined)) {
      throw new IllegalStateException(
        "KitAuthRegistrationModule sends links by mail: import KitAuthEmailModule.forRoot() of 'kit-auth-email', too.",
      );
    }
    const isOpen = this.own.settings.mode === 'open';
    this.links.require(...(isOpen ? ([REGISTER, INVITE] as const) : ([INVITE] as const)));
  }
}
