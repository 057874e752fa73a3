import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type AuthAction,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type UserId,
} from 'kit-auth';
import { type Address, invalidLink, Ports } from 'kit-auth/extend';
import { emailOptions, type ResolvedEmailOptions } from '../config/email.options.js';

/**
 * Injection token of the rules by which login links create accounts: a `LoginLinkSignUp`. `kit-auth-registration`
 * contributes it.
 */
export const LOGIN_LINK_SIGN_UP = Symbol.for('kit-auth.login-link-sign-up');

/** Creates accounts for proven addresses. */
export interface LoginLinkSignUp {
  /** Whether a free address, in lower case, may get an account now. */
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
export class SignUps implements OnModuleInit {
  private readonly isOn: boolean;
  private rules: LoginLinkSignUp | undefined;

  constructor(
    private readonly ports: Ports,
    @Inject(emailOptions.token) { settings: { loginLinks } }: ResolvedEmailOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: Pick<KitAuthSettings, 'enabled'>,
  ) {
    this.isOn = loginLinks !== false && loginLinks.signUp;
  }

  /** @throws IllegalStateException when nothing creates accounts */
  onModuleInit(): void {
    if (!this.core.enabled || !this.isOn) {
      return;
    }
    this.rules = this.ports.only<LoginLinkSignUp>(LOGIN_LINK_SIGN_UP, 'LoginLinkSignUp', [
      'allows',
      'signUp',
    ]);
    if (this.rules === undefined) {
      throw new IllegalStateException(
        'kit.auth.email.loginLinks.signUp creates accounts by the rules of kit-auth-registration: import ' +
          'KitAuthRegistrationModule, too.',
      );
    }
  }

  async allows(key: string): Promise<boolean> {
    return (await this.rules?.allows(key)) === true;
  }

  /** @throws AuthException 40010 when the address may not get an account by now, 40900 when it is taken */
  async signUp(...[address, action, claim]: Parameters<LoginLinkSignUp['signUp']>): Promise<UserId> {
    if (this.rules === undefined || !(await this.rules.allows(address.key))) {
      throw invalidLink();
    }
    return this.rules.signUp(address, action, claim);
  }
}
