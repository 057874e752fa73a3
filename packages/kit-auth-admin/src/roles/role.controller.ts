import { Delete, Get, Header, HttpCode, HttpStatus, Param, Patch, Post } from '@nestjs/common';
import { RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import type { RoleView } from 'kit-auth/typeorm';
import { Input } from '../input/input.decorator.js';
import { type LocationSetter, SetLocation } from '../input/set-location.decorator.js';
import { ChangeRole, CreateRole } from './role.inputs.js';
import { RoleService } from './role.service.js';

@KitAuthController('roles')
export class KitAuthRoleController {
  constructor(private readonly roles: RoleService) {}

  @Get()
  @RequirePermissions('auth:role:read')
  @Header('Cache-Control', 'no-store')
  list(): Promise<RoleView[]> {
    return this.roles.list();
  }

  /** Administrative permissions need a fresh login. */
  @Post()
  @RequirePermissions('auth:role:write')
  async create(
    @Input(CreateRole) input: CreateRole,
    @SetLocation() setLocation: LocationSetter,
  ): Promise<RoleView> {
    const role = await this.roles.create(input);
    setLocation(role.code);
    return role;
  }

  @Patch(':code')
  @RequirePermissions('auth:role:write')
  @RequireFresh()
  change(@Param('code') code: string, @Input(ChangeRole) input: ChangeRole): Promise<RoleView> {
    return this.roles.change(code, input);
  }

  @Delete(':code')
  @RequirePermissions('auth:role:write')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('code') code: string): Promise<void> {
    return this.roles.remove(code);
  }
}
