import { Injectable } from '@nestjs/common';
import { type BegunLogin, KitAuthContext, type UserId, type VerifiedLogin } from 'kit-auth';
import { type LoginAnswer, LoginFlow } from 'kit-auth/login';
import type { ServerOf } from 'kit-auth/feature';
import { Ceremonies, wrongPasskey } from '../ceremonies/ceremonies.js';
import { PasskeyCheck } from '../ceremonies/passkey.check.js';
import { PasskeyLimits } from '../ceremonies/passkey.limits.js';
import type { passkeysApi, RequestCeremony } from '../passkeys.api.js';

const PURPOSE = 'passkey-login';

type ShownPasskey = ServerOf<(typeof passkeysApi)['POST login/passkey']['body']>;

/** Logs users in with a passkey alone. */
@Injectable()
export class PasskeyLogin {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly limits: PasskeyLimits,
    private readonly check: PasskeyCheck,
    private readonly flow: LoginFlow,
    private readonly context: KitAuthContext,
  ) {}

  /** Begins a ceremony for any passkey. @throws AuthException 42900, 50300 */
  async begin(): Promise<RequestCeremony> {
    await this.limits.countCeremony(this.context.client());
    return this.ceremonies.request(PURPOSE);
  }

  /**
   * Logs in. The use of the passkey is recorded before the ceremony is completed, so that one assertion cannot give two
   * logins. Until then, a failure of the database leaves the ceremony as it is.
   *
   * @param request its body has the members that steps ask for
   * @throws AuthException 40113, 40111 for a disabled account, 40110 when the user was changed at the same time, 42900,
   * 50300, and the errors of login steps
   */
  async logIn(shown: ShownPasskey, request: { readonly body?: unknown }): Promise<LoginAnswer> {
    const begun = this.flow.begin('passkey', request);
    const login = await this.flow.verifying(() => this.verify(shown, begun));
    return this.flow.proceed(login, { ...begun, username: login.user.username });
  }

  private async verify({ ceremony, response }: ShownPasskey, begun: BegunLogin): Promise<VerifiedLogin> {
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
      // The ids of passkeys are public. So an account has one event at once, and one for all others of a minute.
      const handler = `passkey ${userId}`;
      begun.action.note({ type: 'factor-failed', ...about, success: false, detail: 'passkey', handler });
      throw wrongPasskey();
    }
    await this.ceremonies.complete(PURPOSE, ceremony);
    return login;
  }
}
