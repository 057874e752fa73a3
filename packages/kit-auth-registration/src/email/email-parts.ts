import { Inject, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import {
  emailOptions,
  linkWith,
  MailLimits,
  MailQueue,
  missingLink,
  type ResolvedEmailOptions,
  UserAddresses,
} from 'kit-auth-email/extend';
import { registrationOptions, type ResolvedRegistrationOptions } from '../config/registration.options.js';
import { INVITE, REGISTER } from '../links/links.js';

/**
 * What `KitAuthEmailModule` brings. Its parts are optional for Nest, so that start-up can say what the application lacks.
 * They are all there once `onModuleInit()` has passed.
 */
@Injectable()
export class EmailParts implements OnModuleInit {
  constructor(
    @Optional() readonly queue: MailQueue,
    @Optional() readonly limits: MailLimits,
    @Optional() readonly addresses: UserAddresses,
    @Optional() @Inject(emailOptions.token) private readonly options: ResolvedEmailOptions,
    @Inject(registrationOptions.token) private readonly own: ResolvedRegistrationOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException when `KitAuthEmailModule` or a link is missing */
  onModuleInit(): void {
    if (!this.core.enabled) {
      return;
    }
    const parts: readonly (object | undefined)[] = [this.queue, this.limits, this.addresses, this.options];
    if (parts.includes(undefined)) {
      throw new IllegalStateException(
        "KitAuthRegistrationModule sends links by mail: import KitAuthEmailModule.forRoot() of 'kit-auth-email', too.",
      );
    }
    const { links } = this.options.settings;
    const needed = this.own.settings.mode === 'open' ? ([REGISTER, INVITE] as const) : ([INVITE] as const);
    const missing = needed.filter((link) => links[link] === undefined);
    if (missing.length > 0) {
      throw new IllegalStateException(
        missing.map((link) => `kit.auth.email.${missingLink(link)}.`).join(' '),
      );
    }
  }

  linkWith(link: typeof REGISTER | typeof INVITE, token: string): string {
    return linkWith(this.options.settings.links[link] ?? '', token);
  }
}
