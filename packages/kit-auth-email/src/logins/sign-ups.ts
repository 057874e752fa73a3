import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type AuthAction,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type UserId,
} from 'kit-auth';
import { type Address, invalidLink } from 'kit-auth/feature';
import { emailOptions, type ResolvedEmailOptions } from '../email.options.js';

/** The rules by which login links create accounts. `kit-auth-registration` has them. */
export interface LoginLinkSignUp {
  /** Tells whether an address, in lower case, may get an account now. */
  allows(key: string): Promise<boolean>;
  /**
   * Creates an account without a password, with the address as a verified one.
   *
   * @param claim consumes the link. Call it in the transaction of the change, before the first write
   * @throws AuthException 40010 when the address may not get an account, 40900 when it is taken
   */
  signUp(
    address: Address,
    action: AuthAction,
    claim: (transaction: unknown) => Promise<void>,
  ): Promise<UserId>;
}

/** Accounts for unknown addresses, if `loginLinks.signUp` is on. */
@Injectable()
export class LoginLinkSignUps implements OnModuleInit {
  private readonly isOn: boolean;
  private readonly rules: LoginLinkSignUp[] = [];

  constructor(
    @Inject(emailOptions.token) { settings: { loginLinks } }: ResolvedEmailOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: Pick<KitAuthSettings, 'enabled'>,
  ) {
    this.isOn = loginLinks !== false && loginLinks.signUp;
  }

  /** Call this in a constructor: start-up expects exactly one set of rules. */
  use(rules: LoginLinkSignUp): void {
    this.rules.push(rules);
  }

  /** @throws IllegalStateException unless one module creates accounts */
  onModuleInit(): void {
    if (!this.core.enabled || !this.isOn) {
      return;
    }
    if (this.rules.length === 0) {
      throw new IllegalStateException(
        'kit.auth.email.loginLinks.signUp creates accounts by the rules of kit-auth-registration: import ' +
          'KitAuthRegistrationModule, too.',
      );
    }
    if (this.rules.length > 1) {
      throw new IllegalStateException(
        'kit.auth.email.loginLinks.signUp creates accounts by the rules of one module: import KitAuthRegistrationModule once.',
      );
    }
  }

  async allows(key: string): Promise<boolean> {
    return (await this.active?.allows(key)) === true;
  }

  /** @throws AuthException 40010 when the address may not get an account by now, 40900 when it is taken */
  async signUp(...[address, action, claim]: Parameters<LoginLinkSignUp['signUp']>): Promise<UserId> {
    const { active } = this;
    if (active === undefined || !(await active.allows(address.key))) {
      throw invalidLink();
    }
    return active.signUp(address, action, claim);
  }

  private get active(): LoginLinkSignUp | undefined {
    return this.core.enabled && this.isOn ? this.rules[0] : undefined;
  }
}
