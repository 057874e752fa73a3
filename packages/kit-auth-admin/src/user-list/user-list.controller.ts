import { Get, Header, Param, Patch, Query } from '@nestjs/common';
import { RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import { IsIn } from 'class-validator';
import { Input } from '../input/input.decorator.js';
import type { Query as QueryOf } from '../input/page.js';
import { UserSessions } from '../users/user-sessions.js';
import type { ListedPage, ListedUserView } from './listed-user.view.js';
import { ListedUserChanges } from './listed-user.changes.js';
import { ListedUsers } from './listed-users.js';

class ChangeStatus {
  @IsIn(['ENABLED', 'DISABLED'])
  status!: ListedUserView['status'];
}

/** Lists the users of any user store. */
@KitAuthController('users')
export class KitAuthUserListController {
  constructor(private readonly users: ListedUsers) {}

  @Get()
  @RequirePermissions('auth:user:read')
  @Header('Cache-Control', 'no-store')
  find(@Query() query: QueryOf): Promise<ListedPage> {
    return this.users.page(query);
  }

  @Get(':id')
  @RequirePermissions('auth:user:read')
  @Header('Cache-Control', 'no-store')
  get(@Param('id') id: string): Promise<ListedUserView> {
    return this.users.get(id);
  }
}

/** Disables and enables the users of a user store that can do so. */
@KitAuthController('users')
export class KitAuthUserStatusController {
  constructor(
    private readonly users: ListedUsers,
    private readonly changes: ListedUserChanges,
    private readonly sessions: UserSessions,
  ) {}

  /** Another status needs a fresh login. */
  @Patch(':id')
  @RequirePermissions('auth:user:write')
  async change(
    @Param('id') id: string,
    @Input(ChangeStatus) { status }: ChangeStatus,
  ): Promise<ListedUserView> {
    await this.changes.setEnabled(id, status === 'ENABLED', (owner) =>
      this.sessions.endedWith(owner, 'disabled'),
    );
    return this.users.get(id);
  }
}
