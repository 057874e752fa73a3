import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  type AuthCredential,
  AuthErrorCode,
  AuthEvents,
  AuthException,
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginUser,
  type Principal,
  type UserId,
} from 'kit-auth';
import { ActiveLogins } from 'kit-auth/login';
import { ActiveUserStore, invalidToken, Ports } from 'kit-auth/feature';
import { tokenIn, withoutMember } from './carried-data.js';
import { type Arrived, type Carried, CARRIED_PREFIX, CarriedTokens } from './carried.tokens.js';

/** `Principal.scheme` of carried users. */
export const CARRIED = 'carried';

/** Finds the users that jobs and messages carry. */
@Injectable()
export class CarriedUsers implements OnApplicationBootstrap {
  constructor(
    private readonly tokens: CarriedTokens,
    private readonly users: ActiveUserStore,
    private readonly logins: ActiveLogins,
    private readonly events: AuthEvents,
    private readonly ports: Ports,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  /** @throws IllegalStateException for audiences that need logins, if no module knows them */
  async onApplicationBootstrap(): Promise<void> {
    const needy = this.core.enabled
      ? this.tokens.names().find((name) => this.tokens.audience(name).needsLogin === true)
      : undefined;
    if (needy !== undefined && !(await this.canAskLogins())) {
      throw new IllegalStateException(
        `kit.auth.jobs.audiences: needsLogin of ${needy} cannot be checked, because no module knows which logins are live. ` +
          "Import KitAuthRefreshModule of 'kit-auth-refresh', or use KitAuthSessionModule of 'kit-auth-session' with stored sessions.",
      );
    }
  }

  /**
   * The user that data or its headers carry, as they are now. Undefined if there is none. Only tokens with a valid signature
   * cause look-ups.
   *
   * @param arrived with its data as it has arrived
   * @throws AuthException 40101, with the reasons of `CarriedTokens.verify()`, `disabled` and `logged-out`; 50300
   */
  async resolve(arrived: Arrived, headers: unknown): Promise<Principal | undefined> {
    const { data } = arrived;
    const action = this.events.begin();
    let carried: Carried | undefined;
    try {
      const token = tokenIn(data, headers);
      if (token === undefined) {
        return undefined;
      }
      carried = this.tokens.verify(token, { ...arrived, data: withoutMember(data) });
      return await this.principalOf(carried, token);
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.TOKEN_INVALID) {
        const { audience = 'no audience' } = arrived;
        action.note({
          type: 'carried-refused',
          subjectId: carried?.userId ?? null,
          success: false,
          detail: `${audience}: ${error.reason}`,
          handler: `carried ${audience} ${error.reason} ${carried?.userId ?? ''}`,
        });
      }
      throw error;
    }
  }

  private async principalOf(
    { audience, userId, loginId, actorId, secondFactor, expiresAt }: Carried,
    token: string,
  ): Promise<Principal> {
    this.ports.filled(); // workers may begin before the application has started
    const user = await this.enabled(userId);
    const actor = actorId === undefined ? undefined : await this.enabled(actorId);
    if (this.tokens.audience(audience).needsLogin === true) {
      await this.requireLogin(userId, loginId);
    }
    return {
      user,
      proof: {
        // Shown when the user was carried, by a login of any age, so that it is never fresh.
        factors: secondFactor ? { mfa: 0 } : {},
        expiresAt,
        ...(loginId !== undefined && { loginId }),
        ...(actor !== undefined && { actor: { userId: actor.userId, username: actor.username } }),
      },
      scheme: CARRIED,
      token,
    };
  }

  private async enabled(userId: UserId): Promise<LoginUser> {
    const user = typeof userId === this.users.idType ? await this.users.loadLoginUser(userId) : undefined;
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    Object.freeze(user.roles);
    Object.freeze(user.permissions);
    return Object.freeze(user);
  }

  /** Probes whether logins can be looked up. */
  private async canAskLogins(): Promise<boolean> {
    try {
      await this.logins.liveIdOf(0, '');
      return true;
    } catch (error) {
      return !(error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED);
    }
  }

  private async requireLogin(userId: UserId, loginId: string | undefined): Promise<void> {
    if (loginId === undefined || (await this.logins.liveIdOf(userId, loginId)) === undefined) {
      throw invalidToken('logged-out');
    }
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** The user of a job or message was refused. The detail has the audience, and the reason. */
    'carried-refused': true;
  }
}

/** Refuses carried users as tokens of requests. They are valid for a job or a message only. */
@Injectable()
export class CarriedCredential implements AuthCredential {
  readonly prefix = CARRIED_PREFIX;
  readonly scheme = CARRIED;

  resolve(): never {
    throw invalidToken('audience');
  }

  allows(): boolean {
    return false;
  }
}
