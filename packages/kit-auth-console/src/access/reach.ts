import { Injectable } from '@nestjs/common';
import type { Grants, UserId } from 'kit-auth';
import { ActiveUserStore, AdminAuthority } from 'kit-auth/feature';
import { ConsoleApplication } from './application.js';

/** Parts of a user that this administrator may change, with the permissions for it. */
export interface Reach {
  /** The account, its roles and its sessions. */
  readonly account: boolean;
  /** Keys, factors, passkeys and identities. */
  readonly belongings: boolean;
}

/** Predicts the refusals of endpoints for users with rights that the administrator lacks. */
@Injectable()
export class UserReach {
  constructor(
    private readonly users: ActiveUserStore,
    private readonly application: ConsoleApplication,
  ) {}

  /** @param text the id of a user. Unknown users are like disabled ones */
  async of(text: string, administrator: Grants): Promise<Reach> {
    const authority = new AdminAuthority(administrator);
    const id = this.users.idFrom(text);
    const user = id === undefined ? undefined : await this.users.loadLoginUser(id);
    if (user !== undefined) {
      const isCovered = authority.covers(user);
      return { account: isCovered, belongings: isCovered };
    }
    // The rights of disabled users are unknown, but to the endpoints of the default user store.
    const { superAdmin } = administrator;
    const grants = superAdmin || id === undefined ? undefined : await this.ofDisabled(id);
    return {
      account: superAdmin || (grants !== undefined && authority.covers(grants)),
      belongings: superAdmin,
    };
  }

  private async ofDisabled(id: UserId): Promise<Grants | undefined> {
    if (!this.application.has('POST users') || typeof id !== 'number') {
      return undefined;
    }
    const [user] = await this.users.listUsers({ after: id - 1, limit: 1 });
    return user?.id === id ? this.users.grantsOf(user.roles) : undefined;
  }
}
