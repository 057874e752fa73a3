import { Delete, Get, Header, HttpCode, HttpStatus, Patch, Post, Put, Query } from '@nestjs/common';
import { RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import { Input } from '../input/input.decorator.js';
import type { Page, Query as QueryOf } from '../input/page.js';
import { type LocationSetter, SetLocation } from '../input/set-location.decorator.js';
import { UserId } from '../input/user-id.decorator.js';
import { ChangeUser, ChangeUserRoles, CreateUser, ResetPassword } from './user.inputs.js';
import { UserQueries } from './user.queries.js';
import { UserService } from './user.service.js';
import type { UserView } from './user.view.js';

@KitAuthController('users')
export class KitAuthUserController {
  constructor(
    private readonly queries: UserQueries,
    private readonly users: UserService,
  ) {}

  @Get()
  @RequirePermissions('auth:user:read')
  @Header('Cache-Control', 'no-store')
  find(@Query() query: QueryOf): Promise<Page<UserView>> {
    return this.queries.find(query);
  }

  /** Administrative roles need a fresh login. */
  @Post()
  @RequirePermissions('auth:user:write')
  async create(
    @Input(CreateUser) input: CreateUser,
    @SetLocation() setLocation: LocationSetter,
  ): Promise<UserView> {
    const user = await this.users.create(input);
    setLocation(user.userId);
    return user;
  }

  @Get(':id')
  @RequirePermissions('auth:user:read')
  @Header('Cache-Control', 'no-store')
  get(@UserId() id: number): Promise<UserView> {
    return this.queries.get(id);
  }

  /** A change of the status needs a fresh login. */
  @Patch(':id')
  @RequirePermissions('auth:user:write')
  change(@UserId() id: number, @Input(ChangeUser) input: ChangeUser): Promise<UserView> {
    return this.users.change(id, input);
  }

  @Put(':id/roles')
  @RequirePermissions('auth:user:write')
  @RequireFresh()
  changeRoles(@UserId() id: number, @Input(ChangeUserRoles) { roles }: ChangeUserRoles): Promise<UserView> {
    return this.users.changeRoles(id, roles);
  }

  @Post(':id/password')
  @RequirePermissions('auth:user:write')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  resetPassword(@UserId() id: number, @Input(ResetPassword) { newPassword }: ResetPassword): Promise<void> {
    return this.users.resetPassword(id, newPassword);
  }

  @Post(':id/unlock')
  @RequirePermissions('auth:user:write')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  unlock(@UserId() id: number): Promise<void> {
    return this.users.unlock(id);
  }

  @Delete(':id')
  @RequirePermissions('auth:user:write')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@UserId() id: number): Promise<void> {
    return this.users.remove(id);
  }
}
