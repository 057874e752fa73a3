import { Inject, Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthEvents,
  AuthException,
  AuthManager,
  type LoginUser,
  type Principal,
} from 'kit-auth';
import { ActiveProvider, Factors } from 'kit-auth/login';
import { ActiveUserStore, forbidden, invalidToken, type OwnedBelongings } from 'kit-auth/feature';
import type { KeyInfo } from '../keys.api.js';
import { ownedKeys } from '../owned-keys.js';
import { abilitiesBeyond } from './abilities.js';
import { ApiKeys, type IssuedKey, type KeyRequest } from './api-keys.js';

/** Creates keys for the user of a login. */
@Injectable()
export class KeyCreation {
  constructor(
    private readonly keys: ApiKeys,
    @Inject(ownedKeys.token) private readonly owned: OwnedBelongings<KeyInfo>,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly factors: Factors,
    private readonly manager: AuthManager,
    private readonly events: AuthEvents,
  ) {}

  /**
   * @throws AuthException 40300 with the abilities that the user lacks as `missing`, and while another user acts as this one;
   * 40900 when the user has too many keys; 40101 when the login has ended meanwhile
   */
  async create(login: Principal, request: KeyRequest): Promise<IssuedKey> {
    const action = this.events.begin();
    if (!this.provider.hasResolved(login)) {
      throw forbidden('Only a login of the user can create keys');
    }
    const owner = await this.currentUser(login);
    const missing = abilitiesBeyond(owner, request.abilities);
    if (missing.length > 0) {
      const message = `The user lacks the permission ${missing.join(', ')}`;
      throw new AuthException(AuthErrorCode.FORBIDDEN, { message, missing });
    }
    const secondFactor = this.factors.isSecondShown(login.proof);
    const issued = await this.keys.issue(action, owner, request, { secondFactor });
    try {
      await this.requireLive(login);
    } catch (error) {
      // The client never got the key, so a failure here does no harm.
      await this.owned.remove(action, owner, issued.id).catch(() => undefined);
      throw error;
    }
    return issued;
  }

  /** Loads the user again: the permissions in a token can be outdated, and the token can be valid after a reset. */
  private async currentUser(login: Principal): Promise<LoginUser> {
    await this.requireUnchanged(login);
    const user = await this.users.loadLoginUser(login.user.userId);
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    return user;
  }

  /**
   * A reset of the password ends the login and the keys in one transaction. If that was committed before the key, the
   * login has ended by now.
   */
  private async requireLive(login: Principal): Promise<void> {
    await this.manager.getLoginUser(login.token);
    await this.requireUnchanged(login);
  }

  private async requireUnchanged(login: Principal): Promise<void> {
    if (this.users.has('stampOf')) {
      this.provider.requireIssuedFor(login, await this.users.stampOf(login.user.userId));
    }
  }
}
