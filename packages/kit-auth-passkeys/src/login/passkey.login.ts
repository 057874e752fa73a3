import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { type BegunLogin, KitAuthContext, type UserId, type VerifiedLogin } from 'kit-auth';
import { type LoginAnswer, LoginFlow } from 'kit-auth/extend';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import { PasskeyCheck } from '../ceremonies/passkey.check.js';
import { wrongPasskey } from '../ceremonies/refusals.js';
import type { Answered } from '../ceremonies/responses.js';
import { WebAuthn } from '../ceremonies/web-authn.js';
import { PasskeyLimits } from './passkey.limits.js';

const PURPOSE = 'passkey-login';

/** What a page passes to `navigator.credentials.get()`. */
export interface RequestCeremony {
  readonly ceremony: string;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/** Logs users in with a passkey alone. */
@Injectable()
export class PasskeyLogin {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly limits: PasskeyLimits,
    private readonly check: PasskeyCheck,
    private readonly webAuthn: WebAuthn,
    private readonly flow: LoginFlow,
    private readonly context: KitAuthContext,
  ) {}

  /** Begins a login. The options are for any passkey. @throws AuthException 42900, 50300 */
  async begin(): Promise<RequestCeremony> {
    await this.limits.countCeremony(this.context.client());
    const { ceremony, challenge, expiresAt } = await this.ceremonies.begin(PURPOSE);
    return { ceremony, options: await this.webAuthn.requestOptions(challenge), expiresAt };
  }

  /**
   * Completes a login. The use of the passkey is recorded before the ceremony is completed, so that one assertion cannot
   * give two logins. Until then, a failure of the database leaves the ceremony as it is.
   *
   * @param request its body has what steps ask for
   * @throws AuthException 40113, 40111 for a disabled account, 40110 when the user was changed at the same time, 42900,
   * 50300, and what the steps of the login throw
   */
  async complete(
    answered: Answered<AuthenticationResponseJSON>,
    request: { readonly body?: unknown },
  ): Promise<LoginAnswer> {
    const begun = this.flow.begin('passkey', request);
    const login = await this.flow.verifying(() => this.verify(answered, begun));
    return this.flow.proceed(login, { ...begun, username: login.user.username });
  }

  private async verify(
    { ceremony, response }: Answered<AuthenticationResponseJSON>,
    begun: BegunLogin,
  ): Promise<VerifiedLogin> {
    const challenge = await this.ceremonies.challengeOf(PURPOSE, ceremony);
    await this.limits.countLogin(begun.client);
    let login: VerifiedLogin | undefined;
    const beforeUse = async (id: UserId) => {
      login = await this.flow.identify(id, { passkey: Math.floor(Date.now() / 1000) }, begun);
    };
    const { isRight, userId } = await this.check.check(response, {
      challenge,
      action: begun.action,
      beforeUse,
    });
    if (userId === undefined) {
      throw wrongPasskey();
    }
    if (login === undefined || !isRight) {
      const about = await this.check.aboutOf(userId);
      // Ids of passkeys are no secret: of an account, one event at once, and the others of a minute as one.
      const handler = `passkey ${userId}`;
      begun.action.note({ type: 'factor-failed', ...about, success: false, detail: 'passkey', handler });
      throw wrongPasskey();
    }
    await this.ceremonies.complete(PURPOSE, ceremony);
    return login;
  }
}
