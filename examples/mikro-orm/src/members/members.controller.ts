import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentUser, type LoginUser, RequireRoles } from 'kit-auth';
import { NewMember } from './members.dto';
import { MembersService } from './members.service';

@Controller('v1/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get('greeting')
  greeting(@CurrentUser() user: LoginUser) {
    return { hello: user.nickname };
  }

  @Get()
  @RequireRoles('trainer')
  list() {
    return this.members.list();
  }

  @Post()
  @RequireRoles('admin')
  create(@Body() body: NewMember) {
    return this.members.create(body);
  }

  @Post(':id/suspension')
  @HttpCode(204)
  @RequireRoles('admin')
  suspend(@Param('id') id: string) {
    return this.members.suspend(id);
  }
}
