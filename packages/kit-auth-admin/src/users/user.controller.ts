import {
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Inject,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RequirePermissions } from 'kit-auth';
import { AdminController } from '../admin-controller.decorator.js';
import { Input } from '../input/input.decorator.js';
import { refusingTexts } from '../input/kept-texts.js';
import { type LocatedRequest, locationOf } from '../input/location.js';
import type { Page, Query as QueryOf } from '../input/page.js';
import { UserId } from '../input/user-id.decorator.js';
import { ChangeUser, ChangeUserRoles, CreateUser, ResetPassword } from './user.inputs.js';
import { UserList } from './user.list.js';
import { UserService } from './user.service.js';
import type { UserView } from './user.view.js';

@AdminController('users')
export class UserController {
  constructor(
    private readonly list: UserList,
    private readonly users: UserService,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Get()
  @RequirePermissions('auth:user:read')
  @Header('Cache-Control', 'no-store')
  find(@Query() query: QueryOf): Promise<Page<UserView>> {
    return this.list.read(query);
  }

  @Post()
  @RequirePermissions('auth:user:write')
  async create(
    @Input(CreateUser) input: CreateUser,
    @Req() request: LocatedRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<UserView> {
    const user = await this.users.create(input).catch(refusingTexts(input));
    this.adapterHost.httpAdapter.setHeader(response, 'Location', locationOf(request, user.userId));
    return user;
  }

  @Get(':id')
  @RequirePermissions('auth:user:read')
  @Header('Cache-Control', 'no-store')
  get(@UserId() id: number): Promise<UserView> {
    return this.users.get(id);
  }

  @Patch(':id')
  @RequirePermissions('auth:user:write')
  change(@UserId() id: number, @Input(ChangeUser) input: ChangeUser): Promise<UserView> {
    return this.users.change(id, input).catch(refusingTexts(input));
  }

  @Put(':id/roles')
  @RequirePermissions('auth:user:write')
  changeRoles(@UserId() id: number, @Input(ChangeUserRoles) { roles }: ChangeUserRoles): Promise<UserView> {
    return this.users.changeRoles(id, roles);
  }

  @Post(':id/password')
  @RequirePermissions('auth:user:write')
  @HttpCode(HttpStatus.NO_CONTENT)
  resetPassword(@UserId() id: number, @Input(ResetPassword) { newPassword }: ResetPassword): Promise<void> {
    return this.users.resetPassword(id, newPassword);
  }

  @Post(':id/unlock')
  @RequirePermissions('auth:user:write')
  @HttpCode(HttpStatus.NO_CONTENT)
  unlock(@UserId() id: number): Promise<void> {
    return this.users.unlock(id);
  }

  @Delete(':id')
  @RequirePermissions('auth:user:write')
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@UserId() id: number): Promise<void> {
    return this.users.remove(id);
  }
}
