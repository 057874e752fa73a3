import { hash } from 'node:crypto';
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
import { badRequest } from 'kit-auth/feature';
import { SecondFactorLogin } from 'kit-auth/store';
import { Ceremonies, type CeremonyOwner } from '../ceremonies/ceremonies.js';
import { PasskeyCheck } from '../ceremonies/passkey.check.js';
import { PasskeyLimits } from '../ceremonies/passkey.limits.js';
import { assertionOf } from '../ceremonies/responses.js';
import type { RequestCeremony } from '../passkeys.api.js';
import { passkeysOptions, type ResolvedPasskeysOptions } from '../passkeys.options.js';
import { PasskeyStore } from '../stores/passkey.store.js';

const PURPOSE = 'passkey-confirm';

/** Passkeys of a known user: the second step of a login, and the confirmation of a login. */
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
    private readonly limits: PasskeyLimits,
    private readonly login: SecondFactorLogin,
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

  /**
   * Begins the second step of a login.
   *
   * @param challenge of the answer 40112
   * @throws AuthException 40113 with the reason `challenge-ended`, 40000 for a user without a passkey, 42900
   */
  async beginSecond(challenge: string): Promise<RequestCeremony> {
    await this.limits.countCeremony(this.context.client());
    const { userId } = await this.login.userOf(challenge);
    return this.request({ userId, login: loginOf(challenge, undefined) });
  }

  /** @throws AuthException 40000 for a user without a passkey, 42900 */
  async begin(login: Principal): Promise<RequestCeremony> {
    const { userId } = login.user;
    await this.limits.countCeremonyOf(userId);
    return this.request({ userId, login: loginOf(undefined, login) });
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

  private async request(owner: CeremonyOwner): Promise<RequestCeremony> {
    const passkeys = await this.store.listOf(owner.userId);
    if (passkeys.length === 0) {
      throw badRequest('This user has no passkey'); // without a list, any passkey could answer
    }
    return this.ceremonies.request(PURPOSE, owner, passkeys);
  }
}

/** The login of a ceremony: a hash of the challenge of a waiting login, or the login of the request. */
function loginOf(challenge: string | undefined, principal: Principal | undefined): string | undefined {
  return challenge === undefined ? principal?.proof.loginId : hash('sha256', challenge, 'base64url');
}
