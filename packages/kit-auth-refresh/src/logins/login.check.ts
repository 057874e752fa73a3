import { Inject, Injectable } from '@nestjs/common';
import type { Principal, SessionEndReason } from 'kit-auth';
import { ActiveProvider, isOwnedBy, storeCalls } from 'kit-auth/login';
import { invalidToken } from 'kit-auth/feature';
import { SharedLookups } from 'kit-auth/tools';
import { type ResolvedRefreshOptions, refreshOptions } from '../refresh.options.js';
import { LOGIN_STORE, type LoginStore } from '../stores/login-store.js';
import { AccessTokens } from './access.tokens.js';
import { type KnownLogin, LoginCache } from './login.cache.js';

/** A live login, the reason why it ended, or undefined for an unknown login. */
type LookupResult = KnownLogin | SessionEndReason | undefined;

/** Checks with every request that the login of its access token is not over. */
@Injectable()
export class LoginCheck {
  private readonly lookups = new SharedLookups<LookupResult>((id) => this.find(id));
  private readonly isOff: boolean;

  constructor(
    @Inject(refreshOptions.token) { settings }: ResolvedRefreshOptions,
    @Inject(LOGIN_STORE) private readonly store: LoginStore,
    private readonly cache: LoginCache,
    private readonly provider: ActiveProvider,
    private readonly access: AccessTokens,
  ) {
    this.isOff = settings.checkSeconds === false;
  }

  /**
   * Returns no promise if the login is cached.
   *
   * @throws AuthException 40101 with the reason
   */
  check(principal: Principal): void | Promise<void> {
    const id = principal.proof.loginId;
    if (id === undefined) {
      return undefined;
    }
    const { cache } = this;
    const endedBy = cache.endOf(id);
    if (endedBy !== undefined) {
      throw invalidToken(endedBy);
    }
    if (this.isOff && !cache.isUncertain(id)) {
      return undefined;
    }
    const known = cache.get(id, Date.now());
    if (known === undefined) {
      if (!isOwnedBy(id, principal.user.userId)) {
        throw invalidToken();
      }
      return this.lookups.ask(id).then((found) => this.admit(found, principal));
    }
    this.admit(known, principal);
    return undefined;
  }

  private admit(found: LookupResult, principal: Principal): void {
    if (found === undefined || typeof found === 'string') {
      throw invalidToken(found);
    }
    const { userId, expiresAt, stamp } = found;
    if (userId !== principal.user.userId) {
      throw invalidToken();
    }
    if (Date.now() >= expiresAt) {
      throw invalidToken('expired');
    }
    // The client then refreshes, and gets a token for the current state of the user.
    if (stamp !== undefined && found.checked !== principal.proof) {
      this.provider.requireIssuedFor(principal, stamp);
      found.checked = principal.proof;
    }
  }

  private async find(id: string): Promise<LookupResult> {
    this.cache.beginLookup(id);
    const knownAt = Date.now();
    const login = await (storeCalls.isObserved
      ? storeCalls.run({ store: 'logins', operation: 'find' }, () => this.store.find(id))
      : this.store.find(id));
    if (login === undefined || login.endedBy !== null) {
      if (login?.endedBy) {
        this.cache.noteFoundEnd(id, login.endedBy);
      }
      return login?.endedBy ?? undefined;
    }
    const { userId, expiresAt } = login;
    const status = await this.access.statusOf(userId);
    if (status === undefined) {
      return 'disabled';
    }
    const known = { userId, expiresAt, knownAt, stamp: status.stamp };
    this.cache.noteLive(id, known);
    return this.cache.endOf(id) ?? known;
  }
}
