import {
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Patch,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RequirePermissions } from 'kit-auth';
import { AdminController } from '../admin-controller.decorator.js';
import { Input } from '../input/input.decorator.js';
import { refusingTexts } from '../input/kept-texts.js';
import { type LocatedRequest, locationOf } from '../input/location.js';
import { ChangeRole, CreateRole } from './role.inputs.js';
import { RoleService, type RoleView } from './role.service.js';

@AdminController('roles')
export class RoleController {
  constructor(
    private readonly roles: RoleService,
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Get()
  @RequirePermissions('auth:role:read')
  @Header('Cache-Control', 'no-store')
  list(): Promise<RoleView[]> {
    return this.roles.list();
  }

  @Post()
  @RequirePermissions('auth:role:write')
  async create(
    @Input(CreateRole) input: CreateRole,
    @Req() request: LocatedRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<RoleView> {
    const role = await this.roles.create(input).catch(refusingTexts(input));
    this.adapterHost.httpAdapter.setHeader(response, 'Location', locationOf(request, role.code));
    return role;
  }

  @Patch(':code')
  @RequirePermissions('auth:role:write')
  change(@Param('code') code: string, @Input(ChangeRole) input: ChangeRole): Promise<RoleView> {
    return this.roles.change(code, input).catch(refusingTexts(input));
  }

  @Delete(':code')
  @RequirePermissions('auth:role:write')
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('code') code: string): Promise<void> {
    return this.roles.remove(code);
  }
}
