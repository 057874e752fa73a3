import { Body, Controller, HttpCode, Param, ParseIntPipe, Post, Put } from '@nestjs/common';
import { Public, RequireRoles } from 'kit-auth';
import { RolesDto, SignUpDto } from './users.dto';
import { UsersService } from './users.service';

@Controller('users')
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
  setRoles(@Param('id', ParseIntPipe) id: number, @Body() { roles }: RolesDto) {
    return this.users.setRoles(id, roles);
  }
}
