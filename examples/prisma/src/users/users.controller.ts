import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Public, RequireRoles } from 'kit-auth';
import { RolesDto, SignUpDto } from './users.dto.js';
import { UsersService } from './users.service.js';

@Controller('v1/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Post()
  @Public()
  signUp(@Body() body: SignUpDto) {
    return this.users.signUp(body);
  }

  @Put(':id/roles')
  @HttpCode(204)
  @RequireRoles('admin')
  setRoles(@Param('id') id: string, @Body() { roles }: RolesDto) {
    return this.users.setRoles(id, roles);
  }
}
