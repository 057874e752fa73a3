import { Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthEvents,
  AuthException,
  type LoginUser,
  type Principal,
  type UserId,
} from 'kit-auth';
import { ActiveLogins, ActiveUserStore, invalidToken, Ports } from 'kit-auth/extend';
import { tokenIn, withoutMember } from './carried-data.js';
import { type Arrived, type Carried, CarriedTokens } from './carried.tokens.js';

/** `Principal.scheme` of carried users. */
export const CARRIED = 'carried';

/** Finds the users that jobs and messages carry. */
@Injectable()
export class CarriedUsers {
  constructor(
    private readonly tokens: CarriedTokens,
    private readonly users: ActiveUserStore,
    private readonly logins: ActiveLogins,
    private readonly events: AuthEvents,
    private readonly ports: Ports,
  ) {}

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
    { audience, userId, loginId, actorId, expiresAt }: Carried,
    token: string,
  ): Promise<Principal> {
    const user = await this.enabled(userId);
    const actor = actorId === undefined ? undefined : await this.enabled(actorId);
    if (this.tokens.audience(audience).needsLogin === true) {
      await this.requireLogin(userId, loginId);
    }
    return {
      user,
      proof: {
        factors: {},
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

  private async requireLogin(userId: UserId, loginId: string | undefined): Promise<void> {
    this.ports.filled(); // workers may begin before the application has started
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
