import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { UserSessions } from '../sessions/user-sessions.js';
import { ListedUserChanges } from './listed-user.changes.js';
import { ListedUsers } from './listed-users.js';
import { type ListedPage, type ListedUserView, userListApi } from './user-list.api.js';

type ListCall<K extends keyof typeof userListApi> = Call<typeof userListApi, K>;

/** Lists the users of any user store. */
@KitAuthController()
export class KitAuthUserListController {
  constructor(private readonly users: ListedUsers) {}

  @Endpoint(userListApi, 'GET users')
  find({ query }: ListCall<'GET users'>): Promise<ListedPage> {
    return this.users.page(query);
  }

  @Endpoint(userListApi, 'GET users/{id}')
  get({ params }: ListCall<'GET users/{id}'>): Promise<ListedUserView> {
    return this.users.get(params.id);
  }
}

/** Disables and enables the users of a user store that can do so. */
@KitAuthController()
export class KitAuthUserStatusController {
  constructor(
    private readonly users: ListedUsers,
    private readonly changes: ListedUserChanges,
    private readonly sessions: UserSessions,
  ) {}

  @Endpoint(userListApi, 'PATCH users/{id}')
  async change({ params, body }: ListCall<'PATCH users/{id}'>): Promise<ListedUserView> {
    await this.changes.setEnabled(params.id, body.status === AuthUserStatus.ENABLED, (owner) =>
      this.sessions.endedWith(owner, 'disabled'),
    );
    return this.users.get(params.id);
  }
}
