import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountChange,
  type Factor,
  type FactorOutcome,
  KitAuthContext,
  type LoginAttempt,
  type LoginUser,
  type Principal,
  type ShownAnswer,
} from 'kit-auth';
import { badRequest } from 'kit-auth/extend';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import { PasskeyCheck } from '../ceremonies/passkey.check.js';
import { assertionOf } from '../ceremonies/responses.js';
import { passkeysOptions, type ResolvedPasskeysOptions } from '../config/passkeys.options.js';
import { PasskeyStore } from '../stores/passkey.store.js';
import type { RequestCeremony } from '../login/passkey.login.js';
import { PasskeyConfirmation } from './passkey-confirmation.js';
import { loginOf, PURPOSE } from './confirming-login.js';

/** Passkeys, which log in alone, or as second factors, and confirm logins. */
@Injectable()
export class PasskeyFactor implements Factor {
  readonly names = ['passkey'];
  readonly confirms = ['passkey'];
  readonly second: 'asked' | 'offered';
  /** Before codes. */
  readonly order = 10;

  constructor(
    private readonly store: PasskeyStore,
    private readonly ceremonies: Ceremonies,
    private readonly passkeys: PasskeyCheck,
    private readonly confirmation: PasskeyConfirmation,
    private readonly context: KitAuthContext,
    @Inject(passkeysOptions.token) { settings }: ResolvedPasskeysOptions,
  ) {
    this.second = settings.secondFactor ? 'asked' : 'offered';
  }

  async has({ userId }: LoginUser): Promise<readonly string[]> {
    return (await this.store.listOf(userId)).length > 0 ? this.names : [];
  }

  canLogIn({ userId }: LoginUser, { transaction }: AccountChange): Promise<readonly string[]> {
    return this.store.change(userId, transaction, async (passkeys) =>
      (await passkeys.latest()).map(() => 'passkey'),
    );
  }

  /** @throws AuthException 40000 for a user without a passkey, 42900 */
  begin(login: Principal): Promise<RequestCeremony> {
    return this.confirmation.forFresh(login);
  }

  /**
   * @throws AuthException 40000 for an answer that cannot be read, 40113 with the reason `challenge-ended` for a ceremony that
   * is unknown, completed or too old
   */
  async verify(
    { user, challenge: login, answer, ceremony }: ShownAnswer,
    { action }: LoginAttempt,
  ): Promise<FactorOutcome> {
    if (typeof answer === 'string' || ceremony === undefined) {
      throw badRequest('Send a JSON object with "ceremony" and "response" for the factor "passkey"');
    }
    const response = assertionOf(answer);
    const owner = { userId: user.userId, login: loginOf(login, this.context.principal()) };
    const challenge = await this.ceremonies.challengeOf(PURPOSE, ceremony, owner);
    const { isRight } = await this.passkeys.check(response, { challenge, user, action });
    if (!isRight) {
      return 'wrong';
    }
    await this.ceremonies.complete(PURPOSE, ceremony);
    return 'right';
  }
}
