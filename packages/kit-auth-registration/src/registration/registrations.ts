import { Inject, Injectable } from '@nestjs/common';
import { ActiveUserStore, type Address, forbidden } from 'kit-auth/feature';
import { summaryOf } from 'kit-auth/login';
import { OneTimeTokens } from 'kit-auth/store';
import type { AuthMail } from 'kit-auth-email';
import { EmailModuleParts } from '../email-module-parts.js';
import { registrationOptions, type ResolvedRegistrationOptions } from '../registration.options.js';
import { LIFETIME_SECONDS, REGISTER, type RegistrationData } from '../link-tokens.js';

/** Sends links to register. */
@Injectable()
export class Registrations {
  private readonly isOpen: boolean;

  constructor(
    private readonly users: ActiveUserStore,
    private readonly email: EmailModuleParts,
    private readonly tokens: OneTimeTokens,
    @Inject(registrationOptions.token) { settings }: ResolvedRegistrationOptions,
  ) {
    this.isOpen = settings.mode === 'open';
  }

  /** @throws AuthException 40300 if only invited users can register */
  requireOpen(): void {
    if (!this.isOpen) {
      throw forbidden('Registration is by invitation only');
    }
  }

  /**
   * Sends a link in the background. Neither the answer nor its time reveals whether the address is known.
   *
   * @throws AuthException 42900 after too many requests, 50300 when too many mails wait
   */
  async request(address: Address, locale: string | undefined): Promise<void> {
    await this.email.limits.countRequest();
    this.email.queue.add({ kind: 'register' }, () => this.mailTo(address, locale));
  }

  private async mailTo(typed: Address, locale: string | undefined): Promise<AuthMail | undefined> {
    const { address, key } = typed;
    const known = await this.email.addresses.findByKey(key);
    if (!(await this.email.limits.countMail(known === undefined ? 'register' : 'already-registered', key))) {
      return undefined;
    }
    const language = locale === undefined ? {} : { locale };
    if (known !== undefined) {
      const user = await this.users.loadLoginUser(known.userId);
      const about = user === undefined ? {} : { user: summaryOf(user) };
      return { kind: 'already-registered', to: known.address, ...about, ...language };
    }
    const data: RegistrationData = { address };
    const { token, expiresAt } = await this.tokens.issue({
      purpose: REGISTER,
      subject: key,
      data,
      ttlSeconds: LIFETIME_SECONDS[REGISTER],
      replaces: true,
    });
    const link = this.email.links.build(REGISTER, token);
    return { kind: 'register', to: address, link, expiresAt, ...language };
  }
}
